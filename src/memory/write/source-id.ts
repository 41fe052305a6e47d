import { type By, readJournal } from "../../storage/journal.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import { projectIdFor } from "../model/project.ts"
import { createImportLookup, importKeyOf } from "../model/store/import-keys.ts"
import { findMemories } from "../model/store/store.ts"
import type { ReadyMemory } from "./prepare.ts"

/**
 * The key of a text with a sourceId. Ids of different actors, projects, sessions and audiences may be equal, so these
 * are part of the key. Undefined without a sourceId.
 */
export async function sourceKey(on: Reader, { actor }: By, ready: ReadyMemory): Promise<string | undefined> {
  const { sourceId, scope, sessionId, audience } = ready.input
  if (sourceId === undefined) return undefined
  const project = ready.project ? await projectIdFor(on, ready.project) : null
  const belongsTo = [project, scope ?? null, sessionId ?? null, audience ?? null]
  return importKeyOf(["given", actor, sourceId, ...belongsTo])
}

/** The memories stored under these keys, by key. Undone and purged ones are missing. */
export async function findBySourceKey(on: Reader, keys: readonly string[]): Promise<Map<string, Memory>> {
  const known = await createImportLookup(on)(keys)
  const memories = await findMemories(on, [...new Set(known.values())])
  return new Map(
    [...known].flatMap(([key, id]): [string, Memory][] => {
      const memory = memories.get(id)
      return memory ? [[key, memory]] : []
    }),
  )
}

/** At most this many journal entries of a memory are searched. */
const mostEntries = 200

/** The last text that this actor sent; somebody else may have edited the memory since. */
export async function lastTextFrom(on: Reader, memory: Memory, { actor }: By): Promise<string> {
  const query = { subject: memory.id, kind: "memory.", limit: mostEntries, newestFirst: true }
  for (const entry of await readJournal(on, query)) {
    if (entry.actor !== actor || !/^memory\.(saved|edited)$/.test(entry.kind)) continue
    const { after } = entry.data as { after?: Memory | null }
    if (after) return after.content
  }
  return memory.content
}
