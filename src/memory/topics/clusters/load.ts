import type { Database } from "../../../storage/database.ts"
import { sql } from "../../../storage/sql.ts"
import { contentKey, type Memory } from "../../model/memory.ts"
import { pagesOf } from "../../model/store/batch.ts"
import { createdAfter, selectMemories } from "../../model/store/store.ts"
import { type ClusterScope, inScope } from "./scope.ts"

/** The parts of a memory that clustering and tagging use. */
export interface ScopeMemory {
  id: string
  content: string
  /** The content key, to detect that the text changed before the result is written. */
  key: string
  tags: string[]
  files: string[]
  createdAt: number
  vector: Float32Array | undefined
}

const pageSize = 250

/** All memories of a scope in the order of creation, with their vectors of this model. */
export async function loadScope(
  { db, signal }: { db: Database; signal?: AbortSignal | undefined },
  scope: ClusterScope,
  model: string,
): Promise<ScopeMemory[]> {
  const vectors = await loadVectors({ db, signal }, scope, model)
  const all: ScopeMemory[] = []
  const order = sql`order by m.created_at, m.id limit ${pageSize}`
  const read = (last: Memory | undefined) =>
    selectMemories(db, sql`${inScope(scope)} and ${createdAfter(last)}`, order)
  for await (const page of pagesOf(pageSize, read, signal)) {
    for (const { id, content, tags, createdAt, details } of page) {
      const { files = [] } = details
      all.push({ id, content, key: contentKey(content), tags, files, createdAt, vector: vectors.get(id) })
    }
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
  const read = (last: { seq: number } | undefined) => db.search.vectorsOf({ ...page, after: last?.seq ?? 0 })
  for await (const some of pagesOf(pageSize, read, signal)) {
    for (const { id, vector } of some) vectors.set(id, vector)
  }
  return vectors
}
