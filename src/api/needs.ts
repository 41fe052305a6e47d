import type { Check } from "../activities/check.ts"
import type { Listening } from "../activities/listen/listening.ts"
import type { OwnSessions } from "../activities/read-sessions/own-sessions.ts"
import type { Scheduler } from "../attention/scheduler.ts"
import type { Host } from "../config/paths.ts"
import type { Models } from "../llm/choice/models.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import type { ClusterCache } from "../memory/topics/clusters/join-clusters.ts"
import type { Retrievals } from "../memory/topics/clusters/spans.ts"
import type { Recall } from "../recall/types.ts"
import type { Approvals } from "../safety/permission/approvals.ts"
import type { InstallCore } from "../storage/core.ts"
import type { DaemonInfo } from "./contract/program-answers.ts"
import type { SignIn } from "./web/sign-in.ts"

/** Everything the routes need. */
export interface AppNeeds extends MemoryCore, InstallCore, Host {
  clusters: ClusterCache
  /** What is found together is noted there, where somebody asks for it. */
  retrievals?: Retrievals | undefined
  models: Models
  /** The models that think of something to say in chat, where they are others. */
  thoughtModels?: () => Models
  recall: Recall
  /** Where what programs tell of their own sessions is kept. */
  ownSessions: OwnSessions
  version: string
  /** What a process without a daemon catches up on before it searches. */
  beforeSearch?: () => Promise<void>
  /** What a process without a daemon reads of the user's own tools before it tells of usage. */
  beforeUsage?: () => Promise<void>
  /** What a process without a daemon reads of the user's sessions before it tells of them. */
  beforeSessions?: () => Promise<void>
  /** Hears that a hook of a tool called; returns at once. */
  onHookCall?: (tool: string) => void
  /** Hears of a session that its tool says is over; returns at once. */
  onSessionEnd?: (session: string) => void
  /** Decisions by links that were sent out; without it there is no page for them. */
  approvals?: Approvals | undefined
  daemon?: {
    info(): DaemonInfo
    /** Aborts when the daemon stops, to end streams. */
    stopping: AbortSignal
    /** The loop that tends, once it runs. */
    scheduler?: () => Scheduler | undefined
    /** The chat channels, once they are open; undefined where none is switched on. */
    listening?: () => Listening | undefined
    /** Lets browsers in; undefined where nothing listens for them. */
    signIn?: SignIn | undefined
    /** Looks for problems. */
    examine?: () => Promise<Check[]>
  }
}
