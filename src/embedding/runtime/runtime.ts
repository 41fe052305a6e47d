import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type * as Onnx from "onnxruntime-web"
import { messageOf } from "../../base/errors.ts"

/** How a model is run. */
export interface RuntimeChoice {
  runtime: "auto" | "native" | "wasm"
  /** An execution provider of ONNX Runtime; cpu always works. */
  provider: string
  threads: number
}

export interface Session {
  runtime: "native" | "wasm"
  provider: string
  /** The last hidden state of one text, one row per id. Several texts at once would change int8 results. */
  run(ids: readonly number[]): Promise<Float32Array>
  close(): Promise<void>
}

/** Logs one sentence when the model does not run in the way the configuration asks. */
export type Notice = (text: string) => void

interface Graph {
  onnx: typeof Onnx
  session: Onnx.InferenceSession
  runtime: Session["runtime"]
  provider: string
}

export async function openSession(
  notice: Notice,
  choice: RuntimeChoice,
  modelFile: string,
): Promise<Session> {
  return asSession(await openGraph(notice, choice, modelFile))
}

/** Loads a model natively, or as WebAssembly if the native library is missing or does not load. */
export async function openGraph(notice: Notice, choice: RuntimeChoice, modelFile: string): Promise<Graph> {
  if (choice.runtime === "wasm") return openWasm(notice, choice, modelFile)
  const native = await loadNative()
  if ("onnx" in native) return openNative(notice, choice, modelFile, native.onnx)
  if (choice.runtime === "native") throw new Error(`${native.fault}; set embedding.runtime to auto or wasm.`)
  notice(`${native.fault}; WebAssembly is used, about five times slower.`)
  return openWasm(notice, choice, modelFile)
}

/** Whether the native library is installed; it may still fail to load. */
export function hasNativeRuntime(): boolean {
  try {
    createRequire(import.meta.url).resolve("onnxruntime-node")
    return true
  } catch {
    return false
  }
}

async function loadNative(): Promise<{ onnx: typeof Onnx } | { fault: string }> {
  try {
    return { onnx: await import("onnxruntime-node") }
  } catch (error) {
    return { fault: `The native ONNX Runtime does not load on this machine (${messageOf(error)})` }
  }
}

async function openNative(
  notice: Notice,
  { provider, threads }: RuntimeChoice,
  modelFile: string,
  onnx: typeof Onnx,
): Promise<Graph> {
  // Otherwise the library also writes its errors to stderr.
  onnx.env.logLevel = "fatal"
  const create = (executionProviders: string[]) =>
    onnx.InferenceSession.create(modelFile, {
      executionProviders,
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 4,
    })
  if (provider !== "cpu") {
    try {
      return { onnx, session: await create([provider, "cpu"]), runtime: "native", provider }
    } catch (error) {
      notice(
        `The execution provider ${provider} is not available (${messageOf(error)}); the processor is used.`,
      )
    }
  }
  return { onnx, session: await create(["cpu"]), runtime: "native", provider: "cpu" }
}

async function openWasm(
  notice: Notice,
  { provider, threads }: RuntimeChoice,
  modelFile: string,
): Promise<Graph> {
  if (provider !== "cpu") {
    notice(`The execution provider ${provider} needs the native ONNX Runtime; the processor is used.`)
  }
  const onnx = await import("onnxruntime-web")
  onnx.env.wasm.numThreads = threads
  onnx.env.logLevel = "fatal"
  const session = await onnx.InferenceSession.create(await readFile(modelFile), {
    executionProviders: ["wasm"],
    logSeverityLevel: 4,
  })
  return { onnx, session, runtime: "wasm", provider: "cpu" }
}

function asSession({ onnx, session, runtime, provider }: Graph): Session {
  const [output = ""] = session.outputNames
  return {
    runtime,
    provider,
    async run(ids) {
      const tensor = (values: BigInt64Array) => new onnx.Tensor("int64", values, [1, ids.length])
      const inputs: Record<string, Onnx.Tensor> = {
        input_ids: tensor(BigInt64Array.from(ids, BigInt)),
        attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
        token_type_ids: tensor(new BigInt64Array(ids.length)),
      }
      const asked = Object.fromEntries(session.inputNames.map((name) => [name, inputs[name]]))
      const { [output]: hidden } = await session.run(asked as Record<string, Onnx.Tensor>)
      if (!(hidden?.data instanceof Float32Array)) throw new Error("the model gave no hidden state")
      return hidden.data
    },
    close: () => session.release(),
  }
}
