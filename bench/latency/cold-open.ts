// A fresh process that opens a store, asks it once, and prints how many milliseconds that took and what memory it uses.
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { retrieve } from "../../src/memory/find/retrieve.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { searchTerms } from "../../src/storage/search.ts"
import { sql } from "../../src/storage/sql.ts"
import { timed } from "../shared/figures.ts"
import { createVectors } from "../shared/made-up-vectors.ts"
import { openLocal } from "./embedders.ts"
import { needsOf } from "./needs.ts"
import { openPlainStore } from "./open-plain-store.ts"

/** What the process is asked to open, and what it asks then. */
export interface ColdOpen {
  /** A question by words alone, one with the model loaded for it, the nearest vectors, or the bare driver's search. */
  first: "words" | "whole" | "nearest" | "plain text"
  url: string
  query: string
  project: string
  /** The model of the stored vectors. */
  model: string
}

/** What it prints. */
export interface ColdOpened {
  ms: number
  /** Of the whole process afterwards. */
  residentBytes: number
}

async function openPlain({ url, query }: ColdOpen): Promise<() => Promise<void>> {
  const store = await openPlainStore(url)
  await store.search(searchTerms(query), 10)
  return () => store.close()
}

async function openReverie(asked: ColdOpen, vector: Float32Array): Promise<() => Promise<void>> {
  const base = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...base, url: asked.url, file: "" })
  const embedder = asked.first === "whole" ? openLocal() : undefined
  if (asked.first === "nearest") {
    await db.search.nearest({ model: asked.model, vector, where: sql`m.status = 'active'`, limit: 10 })
  } else {
    const { query, project } = asked
    await retrieve(needsOf(db, embedder), { query, project, limit: 10 })
  }
  return async () => {
    await embedder?.close()
    await db.close()
  }
}

async function main(asked: ColdOpen): Promise<void> {
  const vector = createVectors(7)()
  let close = async () => {}
  const ms = await timed(async () => {
    close = asked.first === "plain text" ? await openPlain(asked) : await openReverie(asked, vector)
  })
  const opened: ColdOpened = { ms, residentBytes: process.memoryUsage.rss() }
  await close()
  console.log(JSON.stringify(opened))
}

await main(JSON.parse(process.argv[2] ?? ""))
