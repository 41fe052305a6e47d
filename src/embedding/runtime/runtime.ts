import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type * as Onnx from "onnxruntime-web"
import { messageOf } from "../../base/errors.ts"

/** What computes a model, and on what. */
export interface RuntimeChoice {
  runtime: "auto" | "native" | "wasm"
  /** An execution provider of ONNX Runtime; cpu always works. */
  provider: string
  threads: number
}

/** A loaded model. */
export interface Session {
  runtime: "native" | "wasm"
  provider: string
  /** The last hidden state of one text, one row for each id. One text at a time: neighbours change int8 results. */
  run(ids: readonly number[]): Promise<Float32Array>
  close(): Promise<void>
}

export interface SessionNeeds {
  /** Takes one sentence for the log when something had to be done in another way than asked. */
  notice(text: string): void
}

/** A model as ONNX Runtime has loaded it. */
interface Graph {
  onnx: typeof Onnx
  session: Onnx.InferenceSession
  runtime: Session["runtime"]
  provider: string
}

/** Loads a model that reads texts. */
export async function openSession(
  needs: SessionNeeds,
  choice: RuntimeChoice,
  modelFile: string,
): Promise<Session> {
  return asSession(await openGraph(needs, choice, modelFile))
}

/** Loads a model: natively, or as WebAssembly where the native library is missing or does not load. */
export async function openGraph(
  needs: SessionNeeds,
  choice: RuntimeChoice,
  modelFile: string,
): Promise<Graph> {
  if (choice.runtime === "wasm") return openWasm(needs, choice, modelFile)
  const native = await loadNative()
  if ("onnx" in native) return openNative(needs, choice, modelFile, native.onnx)
  if (choice.runtime === "native") throw new Error(`${native.fault}; set embedding.runtime to auto or wasm.`)
  needs.notice(`${native.fault}; WebAssembly is used, which is some five times slower.`)
  return openWasm(needs, choice, modelFile)
}

/** Whether the native library is installed. Whether it loads too is known only by loading it. */
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
  needs: SessionNeeds,
  { provider, threads }: RuntimeChoice,
  modelFile: string,
  onnx: typeof Onnx,
): Promise<Graph> {
  // Otherwise the library writes to stderr by itself what it then says in its error.
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
      needs.notice(
        `The execution provider ${provider} is not available (${messageOf(error)}); the processor is used.`,
      )
    }
  }
  return { onnx, session: await create(["cpu"]), runtime: "native", provider: "cpu" }
}

async function openWasm(
  needs: SessionNeeds,
  { provider, threads }: RuntimeChoice,
  modelFile: string,
): Promise<Graph> {
  if (provider !== "cpu") {
    needs.notice(`The execution provider ${provider} needs the native ONNX Runtime; the processor is used.`)
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
