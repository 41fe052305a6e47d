import type { Clock } from "../base/clock.ts"
import type { Log } from "../base/log.ts"
import type { Random } from "../base/random.ts"
import type { Config } from "../config/schema.ts"
import type { Database } from "./database.ts"

/** What most work on the database needs. */
export interface Core {
  db: Database
  clock: Clock
  random: Random
  log: Log
  config: Config
}

/** The same for what belongs to one installation: its sessions, cycles, limits and requests. */
export interface InstallCore extends Core {
  install: string
}
