import type { Embedded, Judged } from "../embedder.ts"
import type { JudgeFiles } from "../judge-card.ts"
import type { RuntimeChoice, Session } from "./runtime.ts"

/** What the worker is started with. */
export interface WorkerSetup extends RuntimeChoice {
  /** Name of the model, which tells the projection. */
  model: string
  modelFile: string
  tokenizerFile: string
  longest: number
  /** The models that judge texts; without them nothing is judged. */
  judge?: JudgeFiles | undefined
}

/** What the worker is told. */
export type ToWorker =
  | { kind: "embed"; job: number; text: string; tokens: boolean; urgent: boolean }
  | { kind: "judge"; job: number; first: string; second: string; urgent: boolean }
  | { kind: "close" }

/** What it answers. */
export type FromWorker =
  | { kind: "ready"; runtime: Session["runtime"]; provider: string }
  | { kind: "unusable"; reason: string }
  | { kind: "notice"; text: string }
  | { kind: "embedded"; job: number; result: Embedded }
  | { kind: "judged"; job: number; result: Judged }
  | { kind: "failed"; job: number; reason: string }
