import { createHash } from "node:crypto"
import { newTimedId, systemRandom } from "../../src/base/random.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { type Memory, trustOf } from "../../src/memory/model/memory.ts"
import { changeMemories } from "../../src/memory/model/store/change.ts"
import type { Database } from "../../src/storage/database.ts"
import { sql } from "../../src/storage/sql.ts"
import { by } from "../latency/needs.ts"
import type { PlantedMemory } from "./planted.ts"

/** Stores memories with the real model's vectors; returns their ids in order. */
export async function fillStore(
  db: Database,
  embedder: Embedder,
  memories: readonly PlantedMemory[],
): Promise<string[]> {
  const ids: string[] = []
  const act = by()
  const projects = [...new Set(memories.flatMap(({ project }) => project ?? []))]
  await db.write(async (transaction) => {
    for (const id of projects)
      await transaction.run(
        sql`insert into projects (id, name, root, created_at) values (${id}, ${id}, '', ${0})`,
      )
  })
  for (let from = 0; from < memories.length; from += 256) {
    const batch = memories.slice(from, from + 256).map(memoryOf)
    const embedded = await embedder.embed(batch.map(({ content }) => content))
    await db.write(async (transaction) => {
      const changes = batch.map((after) => {
        return { kind: "memory.saved" as const, before: null, after, at: after.createdAt, by: act }
      })
      await changeMemories(transaction, changes)
      const vectors = batch.flatMap(({ id }, index) => {
        const vector = embedded[index]?.vector
        return vector ? [{ id, vector }] : []
      })
      await db.search.saveVectors(transaction, embedder.model, vectors)
    })
    ids.push(...batch.map(({ id }) => id))
  }
  return ids
}

function memoryOf({ content, project, createdAt, type, source }: PlantedMemory): Memory {
  return {
    id: newTimedId(systemRandom, createdAt, "m"),
    version: 1,
    content,
    type,
    scope: project === null ? "global" : "project",
    project,
    tags: [],
    status: "active",
    supersededBy: null,
    source,
    sourceId: null,
    sessionId: null,
    messageIndex: null,
    createdAt,
    updatedAt: createdAt,
    accessedAt: null,
    verifiedAt: null,
    accessCount: 0,
    strength: 1,
    confidence: 1,
    trust: trustOf[source],
    audience: null,
    triggers: [],
    details: {},
  }
}

/** A fingerprint of the whole graph: every memory and every edge, with all that is known of them. */
export async function graphPrint(db: Database): Promise<string> {
  const hash = createHash("sha256")
  for (const table of ["memories", "edges"] as const) {
    for (let offset = 0; ; offset += 5000) {
      const order =
        table === "memories" ? sql`memories order by id` : sql`edges order by source, kind, target`
      const rows = await db.read(sql`select * from ${order} limit 5000 offset ${offset}`)
      for (const row of rows) hash.update(JSON.stringify(row))
      if (rows.length < 5000) break
    }
  }
  return hash.digest("hex")
}
