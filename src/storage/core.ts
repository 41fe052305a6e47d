import type { Clock } from "../base/clock.ts"
import type { Log } from "../base/log.ts"
import type { Random } from "../base/random.ts"
import type { Config } from "../config/schema.ts"
import type { Database } from "./database.ts"

/** The shared dependencies of most functions that use the database. */
export interface Core {
  db: Database
  clock: Clock
  random: Random
  log: Log
  config: Config
}

/** The same for data of one installation: sessions, cycles, limits and requests. */
export interface InstallCore extends Core {
  install: string
}

/** The installation, the random source for new ids and the time of one write. */
export interface WriteContext {
  install: string
  random: Random
  now: number
}

export function writeContext({ install, random, clock }: InstallCore): WriteContext {
  return { install, random, now: clock.now() }
}
