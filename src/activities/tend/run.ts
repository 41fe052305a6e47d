import type { Cycle, CycleStatus, Progress, Receipt } from "../../attention/cycles.ts"
import type { QueueItem } from "../../attention/queue.ts"
import type { TrustLevel } from "../../attention/trust.ts"
import type { FoundSandbox } from "../../coding/work/sandbox/find-sandbox.ts"
import type { Sandbox } from "../../coding/work/sandbox/sandbox.ts"
import type { Environment } from "../../config/environment.ts"
import type { Paths } from "../../config/paths.ts"
import type { Models } from "../../llm/choice/models.ts"
import type { GardenPass, GardenReport } from "../../memory/garden/garden.ts"
import type { Losses } from "../../memory/model/agents/losses.ts"
import type { By } from "../../storage/journal.ts"
import type { Ending } from "../../tools/cycle.ts"
import type { MemoryDesk } from "../../tools/memory-change.ts"
import type { ExcludedProjects } from "./excluded-projects.ts"
import type { CycleView } from "./prompts.ts"
import type { Candidate } from "./scout/candidates.ts"

/** What a cycle works with. */
export interface TendNeeds extends Omit<MemoryDesk, "by" | "excluded" | "losses" | "onDeed"> {
  models: Models
  garden(pass: GardenPass): Promise<GardenReport>
  /** The projects whose own configuration keeps the garden, or every model, out of their memories. */
  excluded(): Promise<ExcludedProjects>
  /** What only the senses know: sessions, what happened in the repositories, and how the memory is. */
  scout(since: number | null, unseen: ReadonlySet<string>): Promise<Scouted>
  paths: Paths
  env: Pick<Environment, "variable">
  /** The machine's sandbox; without one no code is worked on. */
  sandbox(): Promise<FoundSandbox>
}

/** What was seen around the memory. */
export type Scouted = Pick<
  CycleView,
  "sessions" | "repositories" | "health" | "feedback" | "activeSessions" | "userTokensPerMinute"
>

/** What was known before the cycle began. */
export interface Before {
  lastCycle: Cycle | undefined
  level: TrustLevel
}

/** A cycle while it runs. */
export interface Run {
  cycle: Cycle
  /** A new operation of this cycle; all of them begin with its id, which is how undo finds them. */
  by(): By
  excluded: ExcludedProjects
  level: TrustLevel
  losses: Losses
  /** The sandbox, if this cycle may work on code. */
  sandbox: Sandbox | undefined
  /** What could be worth doing, that no model was told of before. */
  candidates: Candidate[]
  items: QueueItem[]
  progress: Progress
  receipt: Receipt
  ending: Ending | undefined
  status: Exclude<CycleStatus, "running">
  failure: unknown
  /** Whether a model was asked. */
  hasAsked: boolean
  /** Whether it had the chance to say all it wanted: what it was asked is not asked again. */
  wasHeard: boolean
}
