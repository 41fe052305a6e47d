import type { Check } from "../activities/check.ts"
import type { Listening } from "../activities/listen/listening.ts"
import type { OwnSessions } from "../activities/read-sessions/own-sessions.ts"
import type { Scheduler } from "../attention/scheduler.ts"
import type { Host } from "../config/paths.ts"
import type { Models } from "../llm/choice/models.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import type { ClusterCache } from "../memory/topics/clusters/join-clusters.ts"
import type { RetrievalLog } from "../memory/topics/clusters/spans.ts"
import type { Recall } from "../recall/types.ts"
import type { Approvals } from "../safety/permission/approvals.ts"
import type { InstallCore } from "../storage/core.ts"
import type { DaemonInfo } from "./contract/program-answers.ts"
import type { SignIn } from "./web/sign-in.ts"

/** Everything the routes need. */
export interface AppNeeds extends MemoryCore, InstallCore, Host {
  clusters: ClusterCache
  /** Records which memories were found together, for clusters. */
  retrievals?: RetrievalLog | undefined
  models: Models
  /** The models for thoughts in chat, if they differ. */
  thoughtModels?: () => Models
  recall: Recall
  /** Stores the sessions that programs report about themselves. */
  ownSessions: OwnSessions
  version: string
  /** Without a daemon: work to catch up on before a search. */
  beforeSearch?: () => Promise<void>
  /** Without a daemon: reads the usage of the user's tools. */
  beforeUsage?: () => Promise<void>
  /** Without a daemon: reads the user's sessions. */
  beforeSessions?: () => Promise<void>
  /** Called for each hook call of a tool; returns at once. */
  onHookCall?: (tool: string) => void
  /** Called when a tool reports the end of a session; returns at once. */
  onSessionEnd?: (session: string) => void
  /** Decisions by approval links; without it there is no page for them. */
  approvals?: Approvals | undefined
  daemon?: {
    info(): DaemonInfo
    /** Aborts when the daemon stops, to end streams. */
    stopping: AbortSignal
    /** The loop that tends, once it runs. */
    scheduler?: () => Scheduler | undefined
    /** The chat channels, once they are open; undefined if none is enabled. */
    listening?: () => Listening | undefined
    /** Signs browsers in; undefined without HTTP. */
    signIn?: SignIn | undefined
    /** Checks for problems. */
    examine?: () => Promise<Check[]>
  }
}
