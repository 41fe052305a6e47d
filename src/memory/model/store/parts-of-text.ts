import { type Sql, sql } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import { contentKey, type Memory } from "../memory.ts"
import { findMemories, selectMemories } from "./store.ts"

/** The kind of edge from each later part of a long text to its first part. */
export const partKind = "part-of" as const

/** These memories with the other parts of their long texts: a change to one part applies to all. */
export async function withParts(on: Reader, memories: readonly Memory[]): Promise<Memory[]> {
  const all = new Map(memories.map((memory) => [memory.id, memory]))
  for (const memory of memories) {
    if (memory.details.part === undefined) continue
    for (const part of await partsOfText(on, memory)) all.set(part.id, all.get(part.id) ?? part)
  }
  return [...all.values()]
}

/** All parts of the text that a memory belongs to, in order; only the memory itself if it is not a part. */
export async function partsOfText(on: Reader, memory: Memory): Promise<Memory[]> {
  if (memory.details.part === undefined) return [memory]
  const [edge] = await on.read<{ target: string }>(
    sql`select target from edges where source = ${memory.id} and kind = ${partKind}`,
  )
  const first = edge?.target ?? memory.id
  const rows = await on.read<{ source: string }>(
    sql`select source from edges where target = ${first} and kind = ${partKind}`,
  )
  const found = await findMemories(on, [first, ...rows.map(({ source }) => source)])
  return [...found.values()].sort((a, b) => numberOf(a) - numberOf(b))
}

function numberOf({ details }: Memory): number {
  return details.part?.number ?? 1
}

/** The stored long text of this scope with exactly these parts, if there is one. */
export async function findExistingParts(
  on: Reader,
  scope: Sql,
  texts: readonly string[],
): Promise<Memory[] | undefined> {
  const key = contentKey(texts[0] ?? "")
  const candidates = await selectMemories(
    on,
    sql`m.content_key = ${key} and m.status = 'active' and ${scope}`,
  )
  for (const candidate of candidates) {
    if (candidate.details.part?.number !== 1) continue
    const parts = await partsOfText(on, candidate)
    if (parts.length === texts.length && parts.every(({ content }, index) => content === texts[index])) {
      return parts
    }
  }
  return undefined
}
