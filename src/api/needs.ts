import type { Clock } from "../base/clock.ts"
import type { Log } from "../base/log.ts"
import type { Random } from "../base/random.ts"
import type { Paths } from "../config/paths.ts"
import type { Config } from "../config/schema.ts"
import type { ProjectFinder } from "../memory/project.ts"
import type { Database } from "../storage/database.ts"
import type { DaemonInfo } from "./contract.ts"

/** Everything the routes need. */
export interface AppNeeds {
  db: Database
  clock: Clock
  random: Random
  log: Log
  config: Config
  projects: ProjectFinder
  paths: Paths
  version: string
  daemon?: {
    info(): DaemonInfo
    /** Aborts when the daemon stops, to end streams. */
    stopping: AbortSignal
  }
}
