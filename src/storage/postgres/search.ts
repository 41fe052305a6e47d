import { createHash } from "node:crypto"
import { type Found, requireDimensions, type SearchIndex } from "../search.ts"
import { joinSql, plainSql, type Sql, sql, sqlList, sqlRows } from "../sql.ts"
import type { Reader, Transaction } from "../transaction.ts"
import { isLatinWord } from "../unspaced-scripts.ts"

/** How many more candidates of the half-precision index are compared exactly than requested: a share, and a minimum. */
const spareShare = 0.1
const fewestSpare = 10

/** The number of concurrent searches for many vectors. */
const searchesAtOnce = 4

/** Full text by tsvector, ranked by the weights of the matching words; nearest vectors by pgvector's HNSW. */
export function createPostgresSearch(needs: Reader): SearchIndex {
  const known = new Map<string, number>()
  /** The length of a model's vectors, which never changes. */
  async function dimensionsFor(model: string) {
    const dimensions = known.get(model) ?? (await dimensionsOf(needs, model))
    if (dimensions !== undefined) known.set(model, dimensions)
    return dimensions
  }

  async function nearest({ model, vector, where, limit }: Parameters<SearchIndex["nearest"]>[0]) {
    const dimensions = await dimensionsFor(model)
    if (dimensions === undefined) return []
    requireDimensions(model, dimensions, vector)
    const half = halfType(dimensions)
    const wanted = vectorText(vector)
    const compared = limit + Math.max(fewestSpare, Math.ceil(limit * spareShare))
    return needs.read<Found>(sql`
      select id, 1 - (vector <=> ${wanted}::vector) as score from (
        select m.id as id, v.vector as vector from vectors v join memories m on m.seq = v.seq
        where v.model = ${model} and ${where}
        order by (v.vector::${half}) <=> ${wanted}::${half} limit ${compared}
      ) candidates order by score desc, id limit ${limit}`)
  }

  return {
    nearest,
    async nearestEach({ vectors, least, ...search }) {
      const found: Found[][] = vectors.map(() => [])
      const waiting = vectors.entries()
      const searchOn = async () => {
        for (const [index, vector] of waiting) {
          const near = await nearest({ ...search, vector })
          found[index] = near.filter(({ score }) => score >= least)
        }
      }
      await Promise.all(Array.from({ length: searchesAtOnce }, searchOn))
      return found
    },
    fullText({ words, weights, where, limit }) {
      const queries = words.map(queryFor)
      const any = joinSql(queries, sql` || `)
      const weighed = queries.map(
        (query, index) =>
          sql`case when m.text_index @@ ${query} then ${weights?.[index] ?? 1}::float8 else 0 end`,
      )
      return needs.read<Found>(sql`
        select m.id as id, (${joinSql(weighed, sql` + `)}) / ${lengthNorm} as score
        from memories m where m.text_index @@ (${any}) and ${where}
        order by score desc, m.id limit ${limit}`)
    },
    async cosines({ model, vector, seqs }) {
      const rows = await needs.read<{ seq: number; score: number }>(sql`
        select seq, 1 - (vector <=> ${vectorText(vector)}::vector) as score from vectors
        where model = ${model} and seq in ${sqlList(seqs)}`)
      return new Map(rows.map(({ seq, score }) => [seq, score]))
    },
    async vectorsOf({ model, where, after, limit }) {
      // The page is selected first; otherwise every vector would be converted to text.
      const rows = await needs.read<{ id: string; seq: number; vector: string }>(sql`
        select page.id as id, page.seq as seq, v.vector::text as vector from (
          select m.id as id, m.seq as seq from memories m
          where m.seq > ${after} and ${where}
            and exists (select 1 from vectors known where known.seq = m.seq and known.model = ${model})
          order by m.seq limit ${limit}
        ) page join vectors v on v.seq = page.seq and v.model = ${model} order by page.seq`)
      return rows.map((row) => ({ ...row, vector: Float32Array.from(JSON.parse(row.vector)) }))
    },
    async saveVectors(transaction, model, vectors) {
      const [first] = vectors
      if (first === undefined) return
      const known = await dimensionsOf(transaction, model)
      for (const { vector } of vectors) requireDimensions(model, known ?? first.vector.length, vector)
      if (known === undefined) await beginModel(transaction, model, first.vector.length)
      const rows = sqlRows(vectors.map(({ id, vector }) => [id, vectorText(vector)]))
      const written = await transaction.run(sql`
        insert into vectors (model, memory, seq, vector)
        select ${model}, m.id, m.seq, given.vector::vector
        from (values ${rows}) as given (id, vector) join memories m on m.id = given.id
        on conflict (model, memory) do update set vector = excluded.vector`)
      if (written !== vectors.length) throw new Error("there is no memory to give a vector to")
    },
    async eraseVectors(transaction, ids) {
      await transaction.run(sql`delete from vectors where memory in ${sqlList(ids)}`)
    },
  }
}

/** Latin words match in all their inflected forms, others only exactly. */
function queryFor(word: string): Sql {
  return isLatinWord(word) ? sql`to_tsquery('reverie_english', ${`'${word}'`})` : sql`${`'${word}'`}::tsquery`
}

/** Reduces the weight of words in long texts. */
const lengthNorm = sql`(1 + ln(1 + length(m.text_index)))`

async function dimensionsOf(reader: Reader, model: string): Promise<number | undefined> {
  const [row] = await reader.read<{ dimensions: number }>(
    sql`select dimensions from vector_models where model = ${model}`,
  )
  return row?.dimensions
}

/** Registers a model and creates its own index, of half precision: half the size, the same order. */
async function beginModel(transaction: Transaction, model: string, dimensions: number): Promise<void> {
  await transaction.run(sql`insert into vector_models (model, dimensions) values (${model}, ${dimensions})`)
  const name = createHash("sha256").update(model).digest("hex").slice(0, 16)
  const quoted = `'${model.replaceAll("'", "''")}'`
  const text = `create index vectors_near_${name} on vectors using hnsw
    ((vector::halfvec(${dimensions})) halfvec_cosine_ops) where model = ${quoted}`
  await transaction.run(plainSql(text))
}

function halfType(dimensions: number): Sql {
  return plainSql(`halfvec(${dimensions})`)
}

function vectorText(vector: Float32Array): string {
  return `[${vector.join(",")}]`
}
