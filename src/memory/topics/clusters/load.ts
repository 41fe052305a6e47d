import { nextTurn } from "../../../base/clock.ts"
import type { Database } from "../../../storage/database.ts"
import { sql } from "../../../storage/sql.ts"
import { contentKey, type Memory } from "../../model/memory.ts"
import { pagesOf } from "../../model/store/batch.ts"
import { madeAfter, selectMemories } from "../../model/store/store.ts"
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
  const order = sql`order by m.created_at, m.id limit ${pageSize}`
  const pages = pagesOf<Memory>(pageSize, (last) =>
    selectMemories(db, sql`${inScope(scope)} and ${madeAfter(last)}`, order),
  )
  for await (const page of pages) {
    signal?.throwIfAborted()
    for (const memory of page) all.push(organised(memory, vectors.get(memory.id)))
    await nextTurn()
  }
  return all
}

async function loadVectors(
  { db, signal }: { db: Database; signal: AbortSignal | undefined },
  scope: ClusterScope,
  model: string,
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>()
  const page = { model, where: inScope(scope), limit: pageSize }
  const pages = pagesOf<{ seq: number; id: string; vector: Float32Array }>(pageSize, (last) =>
    db.search.vectorsOf({ ...page, after: last?.seq ?? 0 }),
  )
  for await (const some of pages) {
    signal?.throwIfAborted()
    for (const { id, vector } of some) vectors.set(id, vector)
    await nextTurn()
  }
  return vectors
}

function organised(memory: Memory, vector: Float32Array | undefined): Organised {
  const { id, content, tags, createdAt, details } = memory
  return { id, content, key: contentKey(content), tags, files: details.files ?? [], createdAt, vector }
}
