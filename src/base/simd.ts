// The parts of WebAssembly that are used here. Node's types lack them, and with --jitless it does not exist.
interface WebAssemblyParts {
  validate(bytes: Uint8Array): boolean
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

/** A new instance of an assembled kernel; undefined where WebAssembly or SIMD is not available. */
export function instantiateKernel(base64: string): unknown {
  const { WebAssembly: wasm } = globalThis as { WebAssembly?: WebAssemblyParts }
  const bytes = Buffer.from(base64, "base64")
  if (!wasm?.validate(bytes)) return undefined
  return new wasm.Instance(new wasm.Module(bytes)).exports
}
