import type { Embedded, Judged } from "../embedder.ts"
import type { JudgeFiles } from "../judge-card.ts"
import type { RuntimeChoice, Session } from "./runtime.ts"

export interface WorkerSetup extends RuntimeChoice {
  /** The model's name, which selects the projection. */
  model: string
  modelFile: string
  tokenizerFile: string
  longest: number
  /** The trained models; without them nothing is judged. */
  judge?: JudgeFiles | undefined
}

export type ToWorker =
  | { kind: "embed"; job: number; text: string; tokens: boolean; urgent: boolean }
  | { kind: "judge"; job: number; first: string; second: string; urgent: boolean }
  | { kind: "close" }

export type FromWorker =
  | { kind: "ready"; runtime: Session["runtime"]; provider: string }
  | { kind: "unusable"; reason: string }
  | { kind: "notice"; text: string }
  | { kind: "embedded"; job: number; result: Embedded }
  | { kind: "judged"; job: number; result: Judged }
  | { kind: "failed"; job: number; reason: string }
