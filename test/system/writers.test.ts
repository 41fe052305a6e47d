import { describe, expect, test } from "vitest"
import type { Database } from "../../src/storage/database.ts"
import { sql } from "../../src/storage/sql.ts"
import { runAdders } from "../../testkit/program/adders.ts"
import { throwawayFolder, withoutEmbedder } from "../../testkit/program/home.ts"
import { createInstallation } from "../../testkit/program/program.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"

const processes = 3
const addsEach = 120

async function contents(db: Database): Promise<string[]> {
  const rows = await db.read<{ content: string }>(sql`select content from memories`)
  return rows.map((row) => row.content).sort()
}

describeDatabases("Three processes that add 120 memories each, killed at random", (create) => {
  test("lose nothing that was acknowledged and store nothing twice", { timeout: 240_000 }, async () => {
    const store = await create()
    const random = createSeededRandom(20261115).next
    const home = throwawayFolder()
    withoutEmbedder(home)
    const { acknowledged, kills } = await runAdders({
      home,
      databaseUrl: store.url,
      processes,
      addsEach,
      killsEach: 2,
      random,
    })
    expect(kills).toBe(processes * 2)
    const db = await store.open()
    expect(await contents(db)).toEqual([...new Set(acknowledged)].sort())
    expect(new Set(acknowledged).size).toBe(processes * addsEach)
    const [journal] = await db.read<{ entries: number; subjects: number }>(sql`
      select count(*) as entries, count(distinct subject) as subjects from journal where kind = 'memory.saved'`)
    expect(journal).toMatchObject({ entries: processes * addsEach, subjects: processes * addsEach })
    expect(await db.check()).toEqual([])
  })
})

describe("A daemon that is killed while others add through it", () => {
  test("loses nothing, and its clients go on by themselves", { timeout: 120_000 }, async () => {
    const installation = createInstallation()
    withoutEmbedder(installation.home)
    const daemon = await installation.daemon()
    const adding = runAdders({
      home: installation.home,
      databaseUrl: "",
      processes: 2,
      addsEach: 100,
      killsEach: 0,
      random: createSeededRandom(7).next,
    })
    let seen = 0
    for await (const entry of daemon.client.follow({ after: 0 }, new AbortController().signal)) {
      if (entry.kind === "memory.saved") seen += 1
      if (seen === 50) break
    }
    daemon.process.kill("SIGKILL")
    const { acknowledged } = await adding
    const { memories } = await installation.json<{ memories: { content: string }[] }>(
      "memory",
      "list",
      "--limit",
      "1000",
    )
    expect(memories.map((memory) => memory.content).sort()).toEqual(acknowledged.sort())
    expect(acknowledged).toHaveLength(200)
    expect((await installation.daemon()).process.pid).not.toBe(daemon.process.pid)
  })
})
