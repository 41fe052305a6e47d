import type { Check } from "../activities/check.ts"
import type { Listening } from "../activities/listen/listening.ts"
import type { OwnSessions } from "../activities/read-sessions/own-sessions.ts"
import type { Scheduler } from "../attention/scheduler.ts"
import type { Clock } from "../base/clock.ts"
import type { Log } from "../base/log.ts"
import type { Random } from "../base/random.ts"
import type { Environment } from "../config/environment.ts"
import type { Paths } from "../config/paths.ts"
import type { Config } from "../config/schema.ts"
import type { Embedder } from "../embedding/embedder.ts"
import type { Models } from "../llm/choice/models.ts"
import type { ProjectFinder } from "../memory/model/project.ts"
import type { ClusterCache } from "../memory/topics/clusters/join-clusters.ts"
import type { Retrievals } from "../memory/topics/clusters/spans.ts"
import type { Screen } from "../privacy/screen.ts"
import type { Recall } from "../recall/types.ts"
import type { Approvals } from "../safety/permission/approvals.ts"
import type { Database } from "../storage/database.ts"
import type { DaemonInfo } from "./contract.ts"
import type { SignIn } from "./web/sign-in.ts"

/** Everything the routes need. */
export interface AppNeeds {
  db: Database
  clock: Clock
  random: Random
  log: Log
  config: Config
  projects: ProjectFinder
  screen: Screen
  embedder: Embedder | undefined
  clusters: ClusterCache
  /** What is found together is noted there, where somebody asks for it. */
  retrievals?: Retrievals | undefined
  paths: Paths
  env: Environment
  models: Models
  /** The models that think of something to say in chat, where they are others. */
  thoughtModels?: () => Models
  recall: Recall
  /** Where what programs tell of their own sessions is kept. */
  ownSessions: OwnSessions
  /** Who this installation is: the ledger and the limits are its own. */
  install: string
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
