import type { Cycle, CycleStatus, Progress, Receipt } from "../../attention/cycles.ts"
import type { QueueItem } from "../../attention/queue.ts"
import type { TrustLevel } from "../../attention/trust.ts"
import type { FoundSandbox } from "../../coding/work/sandbox/find-sandbox.ts"
import type { Sandbox } from "../../coding/work/sandbox/sandbox.ts"
import type { Environment } from "../../config/environment.ts"
import type { Paths } from "../../config/paths.ts"
import type { Models } from "../../llm/choice/models.ts"
import type { GardenOptions, GardenReport } from "../../memory/garden/garden.ts"
import type { LossBudget } from "../../memory/model/agents/losses.ts"
import type { By } from "../../storage/journal.ts"
import type { Ending } from "../../tools/cycle.ts"
import type { MemoryToolContext } from "../../tools/memory-change.ts"
import type { ExcludedProjects } from "./excluded-projects.ts"
import type { CycleView } from "./prompts.ts"
import type { Candidate } from "./scout/candidates.ts"

export interface TendNeeds extends Omit<MemoryToolContext, "by" | "excluded" | "losses" | "onChange"> {
  models: Models
  garden(pass: GardenOptions): Promise<GardenReport>
  /** The projects that exclude themselves from the garden, or from models. */
  excluded(): Promise<ExcludedProjects>
  /** Reads sessions, repositories and the state of the memory. */
  scout(since: number | null, unseen: ReadonlySet<string>): Promise<Surroundings>
  paths: Paths
  env: Pick<Environment, "variable">
  /** The sandbox of this machine; without one, Reverie does not work on code. */
  sandbox(): Promise<FoundSandbox>
}

export type Surroundings = Pick<
  CycleView,
  "sessions" | "repositories" | "health" | "feedback" | "activeSessions" | "userTokensPerMinute"
>

/** What is known before the cycle begins. */
export interface CycleStart {
  lastCycle: Cycle | undefined
  level: TrustLevel
}

/** A running cycle. */
export interface Run {
  cycle: Cycle
  /** A new operation of this cycle. All of them begin with its id, by which undo finds them. */
  by(): By
  excluded: ExcludedProjects
  level: TrustLevel
  losses: LossBudget
  /** The sandbox, if this cycle may work on code. */
  sandbox: Sandbox | undefined
  /** Possible work that no model was told of before. */
  candidates: Candidate[]
  items: QueueItem[]
  progress: Progress
  receipt: Receipt
  ending: Ending | undefined
  status: Exclude<CycleStatus, "running">
  failure: unknown
  /** Whether a model was asked. */
  hasAsked: boolean
  /** Whether the model could finish its answer. Then its questions are not asked again. */
  modelFinished: boolean
}
