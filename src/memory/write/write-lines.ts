import type { Embedded } from "../../embedding/embedder.ts"
import type { Memory } from "../model/memory.ts"
import { saveImportKeys } from "../model/store/import-keys.ts"
import type { ImportRun } from "./import-run.ts"
import type { Written } from "./plan.ts"
import type { ReadyMemory } from "./prepare.ts"
import { combineParts, findSameLongText, type Remembered, writeMemories } from "./remember.ts"
import { findBySourceKey, sourceKey } from "./source-id.ts"
import { updateBySourceId } from "./update.ts"

export interface LineOutcome {
  /** Its position in the import, from 1. */
  line: number
  outcome: Written["outcome"] | "refused" | "failed"
  /** The memory that was saved, reinforced or updated; missing if the line was refused or failed. */
  id?: string
  sourceId?: string
  /** The memories of a text that was too long for one, in order; the first is `id`. */
  parts?: string[]
  reason?: string
  related?: string[]
}

/** A line that is ready to be written, or has its outcome. */
export interface LineEntry {
  line: number
  sourceId?: string | undefined
  /** The key under which the line is recognised when it comes again. */
  key?: string | undefined
  parts: ReadyMemory[]
  outcome?: Omit<LineOutcome, "line">
}

export interface LineBatch {
  entries: LineEntry[]
  embedded: Map<ReadyMemory, Embedded | undefined>
}

/** Writes new lines of a batch, and updates memories whose sourceId came before. */
export async function writeLines(
  run: ImportRun,
  batch: LineBatch,
  updates: boolean,
): Promise<Map<LineEntry, Remembered>> {
  const ready = batch.entries.filter(({ parts }) => parts.length > 0)
  for (const entry of ready)
    if (updates && entry.parts[0]) entry.key ??= await sourceKey(run.needs.db, run.by, entry.parts[0])
  const keys = ready.flatMap(({ key }) => key ?? [])
  const known = updates ? await findBySourceKey(run.needs.db, keys) : new Map<string, Memory>()
  const outcomes = new Map<LineEntry, Remembered>()
  const { first, again } = firstOfEach(ready, updates)
  const fresh: LineEntry[] = []
  for (const entry of first) {
    const done = await writtenBefore(run, entry, known)
    if (done) outcomes.set(entry, done)
    else fresh.push(entry)
  }
  for (const [entry, written] of await writeFresh(run, batch, fresh)) outcomes.set(entry, written)
  for (const entry of again) {
    const later = await writeLines(run, { ...batch, entries: [entry] }, updates)
    for (const [one, written] of later) outcomes.set(one, written)
  }
  return outcomes
}

/** If a key comes twice in one batch, the later text updates the first. */
function firstOfEach(entries: readonly LineEntry[], updates: boolean) {
  const seen = new Set<string>()
  const first: LineEntry[] = []
  const again: LineEntry[] = []
  for (const entry of entries) {
    const list = updates && entry.key !== undefined && seen.has(entry.key) ? again : first
    if (entry.key !== undefined) seen.add(entry.key)
    list.push(entry)
  }
  return { first, again }
}

/** The outcome of a line that came before or is stored part for part; undefined if it has to be written. */
async function writtenBefore(
  { needs, by }: ImportRun,
  { key, parts }: LineEntry,
  known: ReadonlyMap<string, Memory>,
): Promise<Remembered | undefined> {
  const before = key === undefined ? undefined : known.get(key)
  const updated = before && (await updateBySourceId(needs, before, parts, by))
  return updated ?? findSameLongText(needs.db, parts)
}

async function writeFresh(
  { needs, by }: ImportRun,
  { embedded }: LineBatch,
  fresh: readonly LineEntry[],
): Promise<Map<LineEntry, Written>> {
  const parts = fresh.flatMap((entry) => entry.parts)
  if (parts.length === 0) return new Map()
  const vectors = parts.map((one) => embedded.get(one))
  const written = await writeMemories(needs, parts, vectors, by, {
    async after(transaction, some) {
      const keys = [...byLine(fresh, some)].flatMap(([{ key }, { id }]) =>
        key === undefined ? [] : [{ key, operation: by.operation, memory: id }],
      )
      await saveImportKeys(transaction, keys)
    },
  })
  return byLine(fresh, written)
}

/** The outcomes of lines from those of all their parts in order. */
function byLine(lines: readonly LineEntry[], written: readonly Written[]): Map<LineEntry, Written> {
  let next = 0
  return new Map(
    lines.map((one) => {
      const own = written.slice(next, next + one.parts.length)
      next += own.length
      return [one, combineParts(own)]
    }),
  )
}
