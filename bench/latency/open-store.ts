import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import type { Database } from "../../src/storage/database.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import type { BenchStore } from "../shared/stores.ts"

/** Opens Reverie's database of a store; whoever opens it closes it. */
export function openStore({ url }: BenchStore): Promise<Database> {
  return openDatabase({ clock: systemClock, random: systemRandom, log: silentLog, url, file: "" })
}
