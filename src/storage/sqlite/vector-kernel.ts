// Written by scripts/assemble-kernel.ts from vector-kernel.wat: change that file, not this one.

/** The assembled dot-product kernel, as base64. */
export const vectorKernel =
  "AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcRAgZtZW1vcnkCAARkb3RzAAAKuwEBuAECAn8CewJAA0AgACABTw0BIAAgAmohBSADIQb9DAAAAAAAAAAAAAAAAAAAAAAhB/0MAAAAAAAAAAAAAAAAAAAAACEIA0AgByAA/QEDACAG/QAEAP26Af2uASEHIAggAP0BAwggBv0ABBD9ugH9rgEhCCAAQRBqIQAgBkEgaiEGIAAgBUkNAAsgByAI/a4BIQcgBCAH/RsAIAf9GwFqIAf9GwIgB/0bA2pqNgIAIARBBGohBAwACwsL"
