import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { sleep } from "../../src/base/clock.ts"
import { openLogFile } from "../../src/base/files/log-file.ts"
import { createLock } from "../../src/base/lock.ts"
import { openLog } from "../../src/base/log.ts"
import { encodeBase32, newId, newTimedId } from "../../src/base/random.ts"
import { closest, shorten } from "../../src/base/text/text.ts"
import { joinSql, postgresText, type Sql, sql, sqliteText, sqlList, sqlTable } from "../../src/storage/sql.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

describe("Ids", () => {
  test("are a prefix and sixteen letters and digits, and do not repeat", () => {
    const random = createSeededRandom(5)
    const ids = Array.from({ length: 2000 }, () => newId(random, "m"))
    expect(ids.every((id) => /^m_[0-9a-hjkmnp-tv-z]{16}$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(2000)
  })

  test("of memories sort by their time", () => {
    const random = createSeededRandom(6)
    const times = fc.array(fc.integer({ min: 0, max: 2 ** 45 }), { minLength: 2 })
    const inOrder = (made: number[]) => {
      const ids = made.toSorted((a, b) => a - b).map((at) => newTimedId(random, at, "m").slice(0, 11))
      return ids.join() === ids.toSorted().join()
    }
    fc.assert(fc.property(times, inOrder))
    expect(newTimedId(random, 1_800_000_000_000, "m")).toMatch(/^m_[0-9a-z]{20}$/)
  })

  test("tell different bytes apart, whatever they are", () => {
    const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(
        bytes,
        bytes,
        (a, b) => (encodeBase32(a) === encodeBase32(b)) === (Buffer.compare(a, b) === 0),
      ),
    )
  })
})

test("a mistyped word is recognised, another is not", () => {
  expect(closest("storag.url", ["storage.url", "api.port"])).toBe("storage.url")
  expect(closest("xyz", ["storage.url", "api.port"])).toBeUndefined()
  expect(closest("foo", ["log", "api"])).toBeUndefined()
  expect(closest("lsit", ["list", "show"])).toBe("list")
})

test("shortening never cuts a character in half and never exceeds the length", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 20 }), (text, length) => {
      const short = shorten(text, length)
      return Array.from(short).length <= length && short.isWellFormed()
    }),
  )
})

test("work under a lock runs one at a time, in order, whatever fails", async () => {
  const lock = createLock()
  const seen: string[] = []
  const work = (name: string, fails = false) =>
    lock.run(async () => {
      seen.push(`${name} begins`)
      await Promise.resolve()
      seen.push(`${name} ends`)
      if (fails) throw new Error(name)
    })
  await Promise.allSettled([work("a", true), work("b")])
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends"])
})

test("sleeping ends when time has passed, or at once when called off, leaving no timer behind", async () => {
  const clock = createManualClock()
  let woke = false
  void sleep(clock, 1000).then(() => {
    woke = true
  })
  await clock.advance(999)
  expect(woke).toBe(false)
  await clock.advance(1)
  expect(woke).toBe(true)
  const abort = new AbortController()
  const called = sleep(clock, 1000, abort.signal)
  abort.abort()
  await called
  expect(clock.waiting).toBe(0)
})

describe("The log", () => {
  test("writes one JSON line for each message at or above its level", () => {
    const lines: string[] = []
    const log = openLog({ clock: createManualClock(), level: "warn", write: (line) => lines.push(line) })
    log.info("not this")
    log.error("this", { pid: 7 })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { at: "2026-01-01T12:00:00.000Z", level: "error", message: "this", pid: 7 },
    ])
  })

  test("sets a full file aside and keeps a few", () => {
    const file = join(throwawayFolder(), "logs", "reverie.log")
    const write = openLogFile(file)
    const line = "x".repeat(2_000_000)
    for (let number = 0; number < 9; number += 1) write(`${number}${line}`)
    expect(statSync(file).size).toBeLessThanOrEqual(5_000_000)
    expect(existsSync(`${file}.2`)).toBe(true)
    expect(existsSync(`${file}.3`)).toBe(false)
    expect(readFileSync(file, "utf8").startsWith("8")).toBe(true)
  })
})

test("statements put together keep every value at its own place", () => {
  const leaf = fc.record({ name: fc.constantFrom("a", "b", "c"), value: fc.integer() })
  fc.assert(
    fc.property(fc.array(leaf, { minLength: 1 }), (leaves) => {
      const pieces: Sql[] = leaves.map(({ name, value }) =>
        name === "a" ? sql`a = ${value}` : sql`(${sql`${value}`} <> b and c < ${value})`,
      )
      const whole = sql`select ${0} where ${joinSql(pieces, sql` or `)} limit ${-1}`
      const marks = postgresText(whole).text.match(/\$\d+/g)
      return (
        marks?.join() === whole.values.map((_, index) => `$${index + 1}`).join() &&
        whole.values[0] === 0 &&
        whole.values.at(-1) === -1
      )
    }),
  )
})

describe("A list in a statement", () => {
  const all = sql`select 1 where a in ${sqlList(["x", "y", "z", "x", "w"])} and b not in ${sqlList([7])} and c = ${1}`

  test("is one value for PostgreSQL", () => {
    expect(postgresText(all)).toEqual({
      text: "select 1 where a = any ($1) and b <> all ($2) and c = $3",
      values: [["x", "y", "z", "x", "w"], [7], 1],
    })
  })

  test("is filled up to a common length for SQLite", () => {
    expect(sqliteText(all)).toEqual({
      text: "select 1 where a in (?, ?, ?, ?, ?, ?) and b not in (?) and c = ?",
      values: ["x", "y", "z", "x", "w", "w", 7, 1],
    })
  })

  test("matches nothing where it is empty", () => {
    const none = sql`select 1 where a in ${sqlList([])}`
    expect(sqliteText(none)).toEqual({ text: "select 1 where a in (null)", values: [] })
    expect(postgresText(none)).toEqual({ text: "select 1 where a = any ($1)", values: [[]] })
  })

  test("stands only where both databases take one", () => {
    expect(() => postgresText(sql`select ${sqlList([1])}`)).toThrow("after in")
  })
})

test("a table in a statement has rows for SQLite and columns for PostgreSQL", () => {
  const table = sqlTable({ name: "text", size: "bigint" }, [
    ["a", 1],
    ["b", 2],
    [null, 3],
    ["d", 4],
    ["e", 5],
  ])
  const query = sql`select name from ${table} t where size > ${2}`
  const row = "(?, ?)"
  expect(sqliteText(query)).toEqual({
    text: `select name from (with given (name, size) as (values ${Array(6).fill(row).join(", ")}) select * from given) t where size > ?`,
    values: ["a", 1, "b", 2, null, 3, "d", 4, "e", 5, null, null, 2],
  })
  expect(postgresText(query)).toEqual({
    text: "select name from (select * from unnest($1::text[], $2::bigint[]) given (name, size)) t where size > $3",
    values: [["a", "b", null, "d", "e"], [1, 2, 3, 4, 5], 2],
  })
})
