import { expect, test } from "vitest"
import type { Database } from "../../src/storage/database.ts"
import { appendEntry, followJournal, lastEntry, readJournal } from "../../src/storage/journal.ts"
import { acquireLease, leaseHolder, releaseLease, renewLease } from "../../src/storage/leases.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import type { TestDatabase } from "../../testkit/setup/databases.ts"

const by = { operation: "op_test0001", actor: "test" }

/** What the journal must do on every database. */
export function journalContract(create: () => Promise<TestDatabase>): void {
  test("it gives back what was written, in order", async () => {
    const db = await (await create()).open()
    await append(db, "memory.saved", { text: "one" })
    await append(db, "memory.saved", { text: "two" })
    const entries = await readJournal(db, {})
    expect(entries.map((entry) => entry.data)).toEqual([{ text: "one" }, { text: "two" }])
    expect(entries[0]).toMatchObject({
      kind: "memory.saved",
      subject: "m_1",
      operation: by.operation,
      actor: "test",
    })
    expect(await lastEntry(db)).toBe(entries[1]?.seq)
  })

  test("an entry goes with the change it tells of", async () => {
    const db = await (await create()).open()
    const failing = db.write(async (transaction) => {
      await appendEntry(transaction, { ...by, at: 0, kind: "memory.saved" })
      throw new Error("stopped")
    })
    await expect(failing).rejects.toThrow("stopped")
    expect(await readJournal(db, {})).toEqual([])
  })

  test("it can be asked by kind, subject, operation and position", async () => {
    const db = await (await create()).open()
    const first = await append(db, "memory.saved")
    await append(db, "snapshot.taken")
    expect(await readJournal(db, { kind: "snapshot." })).toHaveLength(1)
    expect(await readJournal(db, { after: first })).toHaveLength(1)
    expect(await readJournal(db, { subject: "m_2" })).toHaveLength(0)
    expect(await readJournal(db, { operation: by.operation, newestFirst: true, limit: 1 })).toMatchObject([
      { kind: "snapshot.taken" },
    ])
  })

  test("a follower gets old and new entries, also of other connections, each once and in order", async () => {
    const store = await create()
    const [reader, writer] = [await store.open(), await store.open()]
    await append(writer, "memory.saved", { number: 0 })
    const ended = new AbortController()
    const seen: unknown[] = []
    const following = (async () => {
      for await (const entry of followJournal({ db: reader }, 0, ended.signal)) {
        seen.push(entry.data)
        if (seen.length === 30) ended.abort()
      }
    })()
    const write = (db: Database, from: number) =>
      Promise.all(
        Array.from({ length: 15 }, (_, index) => append(db, "memory.saved", { number: from + index })),
      )
    await Promise.all([write(writer, 100), write(reader, 200)])
    await following
    const all = await readJournal(reader, {})
    expect(seen).toEqual(all.slice(0, 30).map((entry) => entry.data))
  })
}

/** What a lease must do on every database. */
export function leaseContract(create: () => Promise<TestDatabase>): void {
  const wanted = (pid: number, ttlMs = 60_000) => ({
    name: "daemon/test",
    ttlMs,
    info: { pid },
    entry: { ...by, kind: "daemon.started" as const },
  })
  const random = createSeededRandom(1)

  test("it has one holder, and tells who", async () => {
    const db = await (await create()).open()
    expect(await acquireLease({ db, random }, wanted(1))).toMatchObject({ outcome: "acquired" })
    expect(await acquireLease({ db, random }, wanted(2))).toMatchObject({
      outcome: "held",
      by: { info: { pid: 1 }, expired: false },
    })
    expect(await leaseHolder(db, "daemon/test")).toMatchObject({ info: { pid: 1 } })
  })

  test("of many who ask at once, one gets it", async () => {
    const store = await create()
    const connections = [await store.open(), await store.open()]
    const asked = Array.from({ length: 20 }, (_, index) =>
      acquireLease({ db: connections[index % 2] as Database, random }, wanted(index)),
    )
    const outcomes = (await Promise.all(asked)).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === "acquired")).toHaveLength(1)
  })

  test("when its time is up, another may take it, and the first learns of it", async () => {
    const db = await (await create()).open()
    const first = await acquireLease({ db, random }, wanted(1, 0))
    if (first.outcome !== "acquired") throw new Error("not acquired")
    expect(await acquireLease({ db, random }, wanted(2))).toMatchObject({ outcome: "acquired" })
    expect(await renewLease(db, first.lease, 60_000)).toBe(false)
  })

  test("a holder that is known to be dead can be replaced", async () => {
    const db = await (await create()).open()
    await acquireLease({ db, random }, wanted(1))
    const held = await acquireLease({ db, random }, wanted(2))
    if (held.outcome !== "held") throw new Error("not held")
    const again = { ...wanted(2), replace: held.by.token }
    expect(await acquireLease({ db, random }, again)).toMatchObject({ outcome: "acquired" })
  })

  test("renewing keeps it; giving it back frees it; both acts stand in the journal", async () => {
    const db = await (await create()).open()
    const first = await acquireLease({ db, random }, wanted(1, 0))
    if (first.outcome !== "acquired") throw new Error("not acquired")
    expect(await renewLease(db, first.lease, 60_000, { pid: 1, more: true })).toBe(true)
    expect(await acquireLease({ db, random }, wanted(2))).toMatchObject({
      outcome: "held",
      by: { info: { more: true } },
    })
    await releaseLease(db, first.lease, { ...by, kind: "daemon.stopped" })
    expect(await leaseHolder(db, "daemon/test")).toBeUndefined()
    const kinds = (await readJournal(db, {})).map((entry) => entry.kind)
    expect(kinds).toEqual(["daemon.started", "daemon.stopped"])
  })
}

async function append(
  db: Database,
  kind: "memory.saved" | "snapshot.taken",
  data: object = {},
): Promise<number> {
  return db.write(async (transaction) => {
    await appendEntry(transaction, { ...by, at: 5, kind, subject: "m_1", data })
    return lastEntry(transaction)
  })
}
