import { expect, test } from "vitest"
import { purgeMemories } from "../../src/activities/purge.ts"
import { startIndexingDue } from "../../src/memory/model/words/words-due.ts"
import { allMigrations } from "../../src/storage/migrate.ts"
import { sql } from "../../src/storage/sql.ts"
import type { Reader } from "../../src/storage/transaction.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

describeDatabases("Words", (create) => {
  test("one wrong letter does not hide a memory, in any script with spaces", async () => {
    const world = await openMemoryWorld(await create())
    const told: [string, string[]][] = [
      ["The staging database lives in Frankfurt.", ["stagign", "databse", "Frankfort", "Frankfurrt"]],
      ["Rechnungen gehen am Monatsende hinaus.", ["Rechnugnen", "Monatsende"]],
      ["Счета отправляем бухгалтеру.", ["бухгалтиру"]],
      ["Τα τιμολόγια στέλνονται αργά.", ["τιμολογα"]],
      ["نرسل الفواتير غدا", ["الفواتر"]],
      ["החשבוניות נשלחות", ["החשבונית"]],
      ["मेरी बिल्ली सोती है", ["बिल्लि"]],
    ]
    for (const [content] of told) await world.remember(content)
    for (const [content, queries] of told) {
      for (const query of queries) expect((await world.find(query))[0], query).toBe(content)
    }
  })

  test("a word that some memory has is taken as it is, and short words are not guessed at", async () => {
    const world = await openMemoryWorld(await create())
    await world.remember("The mouse ate the cheese")
    await world.remember("The house is painted white")
    await world.remember("The cat sleeps all day")
    expect(await world.find("house")).toEqual(["The house is painted white"])
    expect(await world.find("cut")).toEqual([])
    expect(await world.find("hat")).toEqual([])
  })

  test("words that no memory has any more are no longer guessed, and purged ones leave no trace", async () => {
    const world = await openMemoryWorld(await create())
    const first = await world.remember("Kowalczyk pays the deposit")
    await world.remember("The deposit is due in spring")
    expect(await world.find("Kowalzcyk")).toEqual(["Kowalczyk pays the deposit"])
    expect(await spelled(world.db)).toContain("kowalczyk")
    if (first.outcome !== "saved") throw new Error("not saved")
    await world.act((needs, by) => purgeMemories(needs, { ids: [first.id] }, by))
    expect(await spelled(world.db)).not.toContain("kowalczyk")
    expect(await world.find("deposit")).toEqual(["The deposit is due in spring"])
  })

  test("memories of an older Reverie are found by their words once it was opened", async () => {
    const store = await create({ bare: true })
    const old = await store.open({ migrations: allMigrations.filter(({ version }) => version < 10) })
    const texts = [
      "测试数据库监听5442端口",
      "Счета отправляем в конце месяца",
      "The invoices leave in spring",
    ]
    for (const [place, content] of texts.entries()) {
      await old.write((transaction) =>
        transaction.run(sql`
          insert into memories (id, version, content, content_key, type, scope, status, source, created_at, updated_at,
            access_count, strength, confidence, trust, details)
          values (${`m_old${place}`}, 1, ${content}, ${content}, 'fact', 'global', 'active', 'user-stated', 0, 0, 0, 1, 1, 1, '{}')`),
      )
    }
    const world = await openMemoryWorld(store)
    const stop = await startIndexingDue({ ...world, clock: createManualClock() })
    await stop()
    expect(await world.find("数据库")).toEqual([texts[0]])
    expect(await world.find("счета")).toEqual([texts[1]])
    expect(await world.find("invoyces")).toEqual([texts[2]])
    expect(await world.db.read(sql`select seq from words_due`)).toEqual([])
  })
})

async function spelled(on: Reader): Promise<string[]> {
  const rows = await on.read<{ word: string }>(
    sql`select word from vocabulary union select word from spellings`,
  )
  return rows.map(({ word }) => word)
}
