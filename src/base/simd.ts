// The few parts of WebAssembly used here: Node's types leave them out, and --jitless the thing itself.
interface WebAssemblyParts {
  validate(bytes: Uint8Array): boolean
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

/** A fresh instance of an assembled kernel; undefined where WebAssembly or its SIMD instructions are missing. */
export function instantiateKernel(base64: string): unknown {
  const { WebAssembly: wasm } = globalThis as { WebAssembly?: WebAssemblyParts }
  const bytes = Buffer.from(base64, "base64")
  if (!wasm?.validate(bytes)) return undefined
  return new wasm.Instance(new wasm.Module(bytes)).exports
}
