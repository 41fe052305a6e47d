import type { Embedded } from "../../embedding/embedder.ts"
import type { Memory } from "../model/memory.ts"
import { putImportKeys } from "../model/store/import-keys.ts"
import { findGiven, givenKey } from "./given-before.ts"
import type { ImportRun } from "./import-run.ts"
import type { Written } from "./plan.ts"
import type { ReadyMemory } from "./prepare.ts"
import { inParts, type Remembered, sameLongText, writeMemories } from "./remember.ts"
import { updateGiven } from "./update.ts"

/** What became of one line. */
export interface LineOutcome {
  /** Its position in what was given, from 1. */
  line: number
  outcome: Written["outcome"] | "refused" | "failed"
  /** The memory it became, was merged into or updated; none if it was refused or failed. */
  id?: string
  /** The identity it was given with. */
  sourceId?: string
  /** The memories that a text became which was too long for one, in order; the first is `id`. */
  parts?: string[]
  reason?: string
  related?: string[]
}

/** A line on its way: ready to be written, or with what became of it. */
export interface Entry {
  line: number
  sourceId: string | undefined
  /** What it is known by when it comes again: then it is left alone, or updated. */
  key: string | undefined
  parts: ReadyMemory[]
  told: Omit<LineOutcome, "line"> | undefined
}

/** Lines of which the ready ones only need to be written. */
export interface Batch {
  entries: Entry[]
  embedded: Map<ReadyMemory, Embedded | undefined>
}

/** Writes the lines of a batch that are new, and updates what was given before under the same sourceId. */
export async function writeLines(
  run: ImportRun,
  batch: Batch,
  updates: boolean,
): Promise<Map<Entry, Remembered>> {
  const ready = await withKeys(run, batch.entries, updates)
  const known = updates ? await findGiven(run.needs.db, keysOf(ready)) : new Map<string, Memory>()
  const outcomes = new Map<Entry, Remembered>()
  // What comes twice at once: the later text is the one that holds, once the first is there.
  const { first, again } = firstOfEach(ready, updates)
  const fresh: Keyed[] = []
  for (const one of first) {
    const done = await writtenBefore(run, one, known)
    if (done) outcomes.set(one.entry, done)
    else fresh.push(one)
  }
  for (const [{ entry }, told] of await writeFresh(run, batch, fresh)) outcomes.set(entry, told)
  for (const { entry } of again) {
    const later = await writeLines(run, { ...batch, entries: [entry] }, updates)
    for (const [one, told] of later) outcomes.set(one, told)
  }
  return outcomes
}

/** A line that is ready, with what it is known by when it comes again. */
interface Keyed {
  entry: Entry
  key: string | undefined
}

async function withKeys(
  { needs, by }: ImportRun,
  entries: readonly Entry[],
  updates: boolean,
): Promise<Keyed[]> {
  const keyed: Keyed[] = []
  for (const entry of entries) {
    const [first] = entry.parts
    if (first === undefined) continue
    const key = entry.key ?? (updates ? await givenKey(needs.db, by, first) : undefined)
    keyed.push({ entry, key })
  }
  return keyed
}

function keysOf(keyed: readonly Keyed[]): string[] {
  return keyed.flatMap(({ key }) => key ?? [])
}

function firstOfEach(keyed: readonly Keyed[], updates: boolean): { first: Keyed[]; again: Keyed[] } {
  const seen = new Set<string>()
  const first: Keyed[] = []
  const again: Keyed[] = []
  for (const one of keyed) {
    const isAgain = updates && one.key !== undefined && seen.has(one.key)
    if (one.key !== undefined) seen.add(one.key)
    const list = isAgain ? again : first
    list.push(one)
  }
  return { first, again }
}

/** What becomes of a line that was given before, or is known part for part; undefined if it has to be written. */
async function writtenBefore(
  { needs, by }: ImportRun,
  { entry, key }: Keyed,
  known: ReadonlyMap<string, Memory>,
): Promise<Remembered | undefined> {
  const before = key === undefined ? undefined : known.get(key)
  const updated = before && (await updateGiven(needs, before, entry.parts, by))
  return updated ?? sameLongText(needs.db, entry.parts)
}

async function writeFresh(
  { needs, by }: ImportRun,
  { embedded }: Batch,
  fresh: readonly Keyed[],
): Promise<Map<Keyed, Written>> {
  const parts = fresh.flatMap(({ entry }) => entry.parts)
  if (parts.length === 0) return new Map()
  const vectors = parts.map((one) => embedded.get(one))
  const written = await writeMemories(needs, parts, vectors, by, {
    async after(transaction, some) {
      const keys = [...byLine(fresh, some)].flatMap(([{ key }, { id }]) =>
        key === undefined ? [] : [{ key, operation: by.operation, memory: id }],
      )
      await putImportKeys(transaction, keys)
    },
  })
  return byLine(fresh, written)
}

/** What became of lines, from what became of all their parts in order. */
function byLine(lines: readonly Keyed[], written: readonly Written[]): Map<Keyed, Written> {
  let next = 0
  return new Map(
    lines.map((one) => {
      const own = written.slice(next, next + one.entry.parts.length)
      next += own.length
      return [one, inParts(own)]
    }),
  )
}
