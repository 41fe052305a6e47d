// A fresh process that opens a store, searches once, and prints how many milliseconds that took.
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { type Config, configSchema } from "../../src/config/schema.ts"
import { openScreen } from "../../src/memory/privacy/screen.ts"
import { createProjectFinder } from "../../src/memory/project.ts"
import { retrieve } from "../../src/memory/retrieve.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { wordsOf } from "../../src/storage/search.ts"
import { sql } from "../../src/storage/sql.ts"
import { timed } from "../figures.ts"
import { createVectors } from "../made-up-vectors.ts"
import { openPlainStore } from "./open-plain-store.ts"

/** What the process is asked to open, and what it searches then. */
export interface ColdOpen {
  first: "text" | "nearest" | "plain text"
  url: string
  query: string
  project: string
  /** The model of the stored vectors. */
  model: string
}

/** What is made before the time is taken. */
interface Ready {
  config: Config
  vector: Float32Array
}

async function openPlain({ url, query }: ColdOpen): Promise<() => Promise<void>> {
  const store = await openPlainStore(url)
  await store.search(wordsOf(query), 10)
  return () => store.close()
}

async function openReverie(asked: ColdOpen, { config, vector }: Ready): Promise<() => Promise<void>> {
  const clock = systemClock
  const db = await openDatabase({ url: asked.url, file: "", clock, random: systemRandom, log: silentLog })
  if (asked.first === "nearest") {
    await db.search.nearest({ model: asked.model, vector, where: sql`m.status = 'active'`, limit: 10 })
  } else {
    await retrieve(
      {
        db,
        clock,
        config,
        projects: createProjectFinder({ clock }),
        log: silentLog,
        screen: openScreen({ clock }, config.privacy),
        embedder: undefined,
      },
      { query: asked.query, project: asked.project, limit: 10 },
    )
  }
  return () => db.close()
}

async function main(asked: ColdOpen): Promise<void> {
  const ready = { config: configSchema.parse({}), vector: createVectors(7)() }
  let close = async () => {}
  const ms = await timed(async () => {
    close = asked.first === "plain text" ? await openPlain(asked) : await openReverie(asked, ready)
  })
  await close()
  console.log(ms)
}

await main(JSON.parse(process.argv[2] ?? ""))
