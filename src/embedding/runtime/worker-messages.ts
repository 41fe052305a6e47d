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

/** The same with what only whoever starts the thread can know. */
export interface WorkerData extends WorkerSetup {
  /** Whether the native runtime may be loaded: only where it was told to report nothing to its maker. */
  isSilent: boolean
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
