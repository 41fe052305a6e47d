import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import type { Database } from "../../src/storage/database.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import type { Bench } from "../shared/figures.ts"
import type { Talk } from "../shared/made-up-talk.ts"
import type { BenchStore } from "../shared/stores.ts"
import type { Embedders } from "./embedders.ts"
import { openPlainStore } from "./open-plain-store.ts"
import type { PlainStore } from "./plain-store.ts"

/** How much of everything is measured. */
export interface Plan {
  /** How many memories the stores have, the smallest first. */
  sizes: readonly [number, ...number[]]
  /** How many vectors of another model are saved and searched by themselves. */
  vectorsOf(kind: Database["kind"], rows: number): number
  rounds: number
  addsInRound: number
  questionsInRound: number
  nearestInRound: number
  /** How many fresh processes open each store. */
  openings: number
}

/** One store under measurement. */
export interface MeasuredStore extends Pick<Bench, "atEnd"> {
  plan: Plan
  store: BenchStore
  /** How many memories are imported. */
  rows: number
  talk: Talk
  embedders: Embedders
  /** Where fresh processes keep their compiled modules, so that all but the first start warm. */
  compileCache: string
}

/** Reverie's database and the bare driver's beside it. */
export interface Both {
  db: Database
  plain: PlainStore
}

/** How many results every search asks for. */
export const resultLimit = 10

/** Opens both, and closes both afterwards. */
export async function withBoth<T>(store: BenchStore, work: (both: Both) => Promise<T>): Promise<T> {
  const needs = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...needs, url: store.url, file: "" })
  const plain = await openPlainStore(store.plainUrl)
  try {
    return await work({ db, plain })
  } finally {
    await plain.close()
    await db.close()
  }
}
