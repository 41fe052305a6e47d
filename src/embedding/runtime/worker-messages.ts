import type { Embedded } from "../embedder.ts"
import type { RuntimeChoice, Session } from "./runtime.ts"

/** What the worker is started with. */
export interface WorkerSetup extends RuntimeChoice {
  /** Name of the model, which tells the projection. */
  model: string
  modelFile: string
  tokenizerFile: string
  longest: number
}

/** What the worker is told. */
export type ToWorker =
  | { kind: "embed"; job: number; text: string; tokens: boolean; urgent: boolean }
  | { kind: "close" }

/** What it answers. */
export type FromWorker =
  | { kind: "ready"; runtime: Session["runtime"]; provider: string }
  | { kind: "unusable"; reason: string }
  | { kind: "notice"; text: string }
  | { kind: "embedded"; job: number; result: Embedded }
  | { kind: "failed"; job: number; reason: string }
