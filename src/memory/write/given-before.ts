import { type By, readJournal } from "../../storage/journal.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { Memory } from "../model/memory.ts"
import { likelyProjectId } from "../model/project.ts"
import { createKnownImports, importKeyOf } from "../model/store/import-keys.ts"
import { findMemories } from "../model/store/store.ts"
import type { ReadyMemory } from "./prepare.ts"

/**
 * What a text is known by when it is given again: the id its giver has for it. Two givers, projects, sessions or audiences
 * may count alike, so these belong to it. Undefined for a text that was given without an id.
 */
export async function givenKey(on: Reader, { actor }: By, ready: ReadyMemory): Promise<string | undefined> {
  const { sourceId, scope, sessionId, audience } = ready.given
  if (sourceId === undefined) return undefined
  const project = ready.project ? await likelyProjectId(on, ready.project) : null
  const belongsTo = [project, scope ?? null, sessionId ?? null, audience ?? null]
  return importKeyOf(["given", actor, sourceId, ...belongsTo])
}

/** The memories that were given under these keys before, by key: as they are now. What was undone or purged is not known. */
export async function findGiven(on: Reader, keys: readonly string[]): Promise<Map<string, Memory>> {
  const known = await createKnownImports(on)(keys)
  const memories = await findMemories(on, [...new Set(known.values())])
  return new Map(
    [...known].flatMap(([key, id]): [string, Memory][] => {
      const memory = memories.get(id)
      return memory ? [[key, memory]] : []
    }),
  )
}

/** How many of a memory's changes are looked through for what its giver said last. */
const mostLooked = 200

/** The text that its giver gave last: somebody else may have changed the memory since, and that stays. */
export async function lastGiven(on: Reader, memory: Memory, { actor }: By): Promise<string> {
  const query = { subject: memory.id, kind: "memory.", limit: mostLooked, newestFirst: true }
  for (const entry of await readJournal(on, query)) {
    if (entry.actor !== actor || !/^memory\.(saved|edited)$/.test(entry.kind)) continue
    const { after } = entry.data as { after?: Memory | null }
    if (after) return after.content
  }
  return memory.content
}
