import { nextTurn } from "../../../base/clock.ts"
import type { Database } from "../../../storage/database.ts"
import { sql } from "../../../storage/sql.ts"
import { contentKey, type Memory } from "../../model/memory.ts"
import { selectMemories } from "../../model/store/store.ts"
import { type ClusterScope, inScope } from "./scope.ts"

/** A memory as far as organising is about it. */
export interface Organised {
  id: string
  content: string
  /** Whether the text is still the same when the result is written. */
  key: string
  tags: string[]
  files: string[]
  createdAt: number
  vector: Float32Array | undefined
}

const pageSize = 250

/** All memories of a scope in the order of their making, with their vectors of this model. */
export async function loadScope(
  { db, signal }: { db: Database; signal?: AbortSignal | undefined },
  scope: ClusterScope,
  model: string,
): Promise<Organised[]> {
  const vectors = await loadVectors({ db, signal }, scope, model)
  const all: Organised[] = []
  let after = sql`true`
  for (;;) {
    signal?.throwIfAborted()
    const order = sql`order by m.created_at, m.id limit ${pageSize}`
    const page = await selectMemories(db, sql`${inScope(scope)} and ${after}`, order)
    for (const memory of page) all.push(organised(memory, vectors.get(memory.id)))
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return all
    after = sql`(m.created_at > ${last.createdAt} or (m.created_at = ${last.createdAt} and m.id > ${last.id}))`
    await nextTurn()
  }
}

async function loadVectors(
  { db, signal }: { db: Database; signal: AbortSignal | undefined },
  scope: ClusterScope,
  model: string,
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>()
  let after = 0
  for (;;) {
    signal?.throwIfAborted()
    const page = await db.search.vectorsOf({ model, where: inScope(scope), after, limit: pageSize })
    for (const { id, vector } of page) vectors.set(id, vector)
    after = page.at(-1)?.seq ?? after
    if (page.length < pageSize) return vectors
    await nextTurn()
  }
}

function organised(memory: Memory, vector: Float32Array | undefined): Organised {
  const { id, content, tags, createdAt, details } = memory
  return { id, content, key: contentKey(content), tags, files: details.files ?? [], createdAt, vector }
}
