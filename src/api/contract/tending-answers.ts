import type { Ambient } from "../../activities/tend/control.ts"
import type { WindowBudget } from "../../attention/budget/window-budget.ts"
import type { Cycle } from "../../attention/cycles.ts"
import type { QueueItem } from "../../attention/queue.ts"
import type { Message, ModelRef, Spent } from "../../llm/choice/access.ts"
import type { Job } from "../../llm/choice/catalog.ts"
import type { AccessState, Choice } from "../../llm/choice/select.ts"
import type { Failure } from "../../llm/failure.ts"
import type { Totals, UsageRow } from "../../llm/ledger.ts"
import type { Pool } from "../../llm/limits/limit-reading.ts"
import type { PoolState } from "../../llm/limits/pool-state.ts"
import type { PermissionRequest } from "../../safety/permission/request.ts"
import type { IsoTimes } from "./iso-times.ts"

/** Answers about tending, the queue, cycles, the inbox, models and the budget. */
export interface TendingAnswers {
  ambient: AmbientJson
  pause: AmbientJson
  resume: AmbientJson
  wake: AmbientJson
  trust: AmbientJson
  queue: { items: QueueItemJson[] }
  queueAdd: { outcome: "added"; item: QueueItemJson }
  queueCancel: { outcome: "cancelled"; item: QueueItemJson }
  cycles: { cycles: CycleJson[] }
  cycle: CycleWithMessages
  judgeCycle: CycleWithMessages
  inbox: { requests: RequestJson[] }
  request: RequestJson
  decide: RequestJson
  /** The model of each job, and the state of every way to reach one. */
  models: {
    jobs: Choice[]
    ways: AccessState[]
    /** Pools that are stopped or wait, and why. */
    pools: (Omit<IsoTimes<PoolState>, "refusedAt" | "blockedUntil"> & {
      name: string
      blockedUntil: string | null
    })[]
  }
  retryModels: { outcome: "resumed"; pools: Pool[] }
  /** The result of a short test prompt. */
  testModel:
    | { outcome: "answered"; job: Job; by: ModelRef; tookMs: number; spent: Spent }
    | { outcome: "failed"; job: Job; failure: IsoTimes<Failure> }
  usage: { days: number; total: Totals; rows: UsageRow[] }
  /** What may be spent now, by the allowance a cycle would draw on. */
  budget: {
    /** Null without a model; `reason` says why. */
    pool: Pool | null
    poolName: string | null
    model: ModelRef | null
    mayRun: boolean
    nextAt: string | null
    intervalMinutes: number | null
    rule: string
    reason: string
    /** The most tokens a cycle may use now. */
    cycleTokens: number
    windows: WindowJson[]
    /** The user's other allowances. */
    others: { pool: Pool; poolName: string; windows: WindowJson[] }[]
  }
  learnLimits: { outcome: "learned"; readings: number }
}

/** The state of tending. */
export interface AmbientJson {
  status: Ambient["status"]
  reason: string
  queue: { count: number; next: QueueItemJson | null }
  lastCycle: CycleJson | null
  nextWake: string | null
  /** The user's own pause; "for-ever" until they resume. */
  pausedUntil: string | null
  /** The trust level, the user's own setting, and the number of cycles they approved. */
  trust: Ambient["trust"]
}

export type QueueItemJson = IsoTimes<QueueItem>
export type CycleJson = IsoTimes<Cycle>
type CycleWithMessages = CycleJson & { messages: { at: string; message: Message }[] }

/** A permission request, as the inbox shows it. */
export type RequestJson = Omit<IsoTimes<PermissionRequest>, "decision"> & {
  projectName: string | null
  decision: IsoTimes<NonNullable<PermissionRequest["decision"]>> | null
}

/** One limit: the user's share, Reverie's share, the rest, and what it allows. */
export type WindowJson = Omit<IsoTimes<WindowBudget>, "lengthMs"> & {
  minutes: number
  /** When and from where the limit was last read. */
  readAt: string | null
  learnedFrom: string | null
}
/** The three shares of one limit, in percent. */
export type WindowShares = Pick<WindowJson, "id" | "user" | "ambient" | "remaining" | "resetsAt">
