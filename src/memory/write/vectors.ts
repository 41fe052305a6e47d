import type { CosineScale, Embedded, Embedder, TokenVectors } from "../../embedding/embedder.ts"
import type { ScaleStore } from "../../embedding/scaled.ts"
import type { Database } from "../../storage/database.ts"
import { stopWords } from "../../storage/search.ts"
import { sql, sqlList, sqlRows } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { assignToClusters, createClusterCache } from "../topics/clusters/join-clusters.ts"
import type { MemoryWriteCore } from "./prepare.ts"

/** At most this many word-piece vectors per memory: a few kilobytes. */
const maxPieces = 128

export interface EmbeddedMemory {
  id: string
  content: string
  embedded: Embedded
}

/** Stores the vectors of memories in the caller's transaction, and adds the memories to their clusters. */
export async function saveEmbedded(
  { db, clusters = createClusterCache() }: Pick<MemoryWriteCore, "db" | "clusters">,
  transaction: Transaction,
  model: string,
  memories: readonly EmbeddedMemory[],
): Promise<void> {
  if (memories.length === 0) return
  const vectors = memories.map(({ id, embedded }) => ({ id, vector: embedded.vector }))
  await db.search.saveVectors(transaction, model, vectors)
  await assignToClusters(clusters, transaction, model, vectors)
  const ids = memories.map(({ id }) => id)
  const rows = await transaction.read<{ id: string; seq: number }>(
    sql`select id, seq from memories where id in ${sqlList(ids)}`,
  )
  const seqs = new Map(rows.map(({ id, seq }) => [id, seq]))
  const codes = memories.flatMap(({ id, content, embedded: { tokens } }) => {
    const seq = seqs.get(id)
    if (tokens === undefined || seq === undefined) return []
    const bytes = meaningfulPieces(content, tokens)
    return [[model, seq, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)]]
  })
  if (codes.length === 0) return
  await transaction.run(sql`
    insert into token_vectors (model, seq, codes) values ${sqlRows(codes)}
    on conflict (model, seq) do update set codes = excluded.codes`)
}

/** The pieces of meaningful words, first occurrences before repetitions, up to the limit. */
function meaningfulPieces(text: string, { codes, dimensions, starts, ends }: TokenVectors): Int8Array {
  const seen = new Map<string, number>()
  const first: number[] = []
  const again: number[] = []
  starts.forEach((start, piece) => {
    const word = text.slice(start, ends[piece]).toLowerCase()
    if (stopWords.has(word) || !/[\p{L}\p{N}]/u.test(word)) return
    const known = seen.get(word) ?? start
    seen.set(word, known)
    const list = known === start ? first : again
    list.push(piece)
  })
  const kept = [...first, ...again].slice(0, maxPieces).sort((a, b) => a - b)
  const result = new Int8Array(kept.length * dimensions)
  kept.forEach((piece, index) => {
    result.set(codes.subarray(piece * dimensions, (piece + 1) * dimensions), index * dimensions)
  })
  return result
}

/** The length of the stored vectors of a model; undefined while there are none. */
export async function storedVectorLength(on: Reader, model: string): Promise<number | undefined> {
  const [row] = await on.read<{ dimensions: number }>(
    sql`select dimensions from vector_models where model = ${model}`,
  )
  return row?.dimensions
}

/** The store of measured scales. */
export function openScaleStore(db: Database): ScaleStore {
  return {
    async read(model) {
      const [row] = await db.read<{ scale: string }>(
        sql`select scale from embedding_scales where model = ${model}`,
      )
      return row && (JSON.parse(row.scale) as CosineScale)
    },
    async save(model, scale) {
      await db.write((transaction) =>
        transaction.run(sql`
          insert into embedding_scales (model, scale) values (${model}, ${JSON.stringify(scale)})
          on conflict (model) do update set scale = excluded.scale`),
      )
    },
  }
}

interface MissingVector {
  id: string
  content: string
  version: number
}

/** Embeds memories without a vector of this model, oldest first. Returns their number. */
export async function embedMissing(
  needs: Pick<MemoryWriteCore, "db" | "clusters"> & { embedder: Embedder; tokens: boolean; urgent?: boolean },
  limit: number,
): Promise<number> {
  const { db, embedder } = needs
  const missing = await db.read<MissingVector>(sql`
    select m.id as id, m.content as content, m.version as version from memories m
    left join vectors v on v.seq = m.seq and v.model = ${embedder.model}
    where v.seq is null and m.status in ('active', 'superseded', 'quarantined') order by m.seq limit ${limit}`)
  if (missing.length === 0) return 0
  const texts = missing.map(({ content }) => content)
  const embedded = await embedder.embed(texts, { tokens: needs.tokens, urgent: needs.urgent === true })
  await db.write(async (transaction) => {
    // A text that changed since must not get the old vector.
    const rows = await transaction.read<{ id: string; content: string }>(
      sql`select id, content from memories where id in ${sqlList(missing.map(({ id }) => id))}`,
    )
    const now = new Map(rows.map(({ id, content }) => [id, content]))
    const fresh = missing.flatMap(({ id, content }, index) => {
      const one = embedded[index]
      return one && now.get(id) === content ? [{ id, content, embedded: one }] : []
    })
    await saveEmbedded(needs, transaction, embedder.model, fresh)
  })
  return missing.length
}
