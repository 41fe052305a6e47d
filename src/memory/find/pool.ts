import { termsOf } from "../../language/terms.ts"
import type { Database } from "../../storage/database.ts"
import type { Found } from "../../storage/search.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { decodeTerms } from "../model/words/word-index.ts"

/** A memory that may be an answer, with what ranking needs. */
export interface Candidate {
  seq: number
  id: string
  session: string | null
  index: number | null
  createdAt: number
  terms: Uint32Array
  /** The speaker in lower case, if the text begins like a line of a conversation. */
  speaker: string | undefined
  /** It is a question itself, which is rarely an answer; but the message after it may be. */
  isQuestion: boolean
  /** It is superseded; its successor is shown instead. */
  isReplaced: boolean
  /** The similarity of meaning; undefined if the vector search did not find it. */
  cosine: number | undefined
  /** How it was found. */
  via: Set<string>
}

interface Row {
  seq: number
  id: string
  session: string | null
  message: number | null
  createdAt: number
  head: string
  tail: string
  size: number
  status: string
  terms: Uint8Array | null
}

const columns = sql`m.seq as seq, m.id as id, m.session_id as session, m.message_index as message,
  m.created_at as "createdAt", substr(m.content, 1, 48) as head,
  substr(m.content, case when length(m.content) > 80 then length(m.content) - 79 else 1 end) as tail,
  length(m.content) as size, m.status as status, t.terms as terms`

/** All candidates of one query, with their neighbours in sessions. */
export class Pool {
  readonly #byId = new Map<string, Candidate>()
  readonly #sessions = new Map<string, Map<number, Candidate>>()

  add(candidate: Candidate): void {
    this.#byId.set(candidate.id, candidate)
    const { session, index } = candidate
    if (session === null || index === null) return
    const messages = this.#sessions.get(session) ?? new Map<number, Candidate>()
    if (messages.size === 0) this.#sessions.set(session, messages)
    messages.set(index, candidate)
  }

  get(id: string): Candidate | undefined {
    return this.#byId.get(id)
  }

  values(): Iterable<Candidate> {
    return this.#byId.values()
  }

  /** The candidate that many messages later, or earlier for a negative step. */
  neighbour({ session, index }: Candidate, step: number): Candidate | undefined {
    return session === null || index === null ? undefined : this.#sessions.get(session)?.get(index + step)
  }
}

/** Adds the results of a search to a pool, with the messages before and after each. */
export async function addFound(
  db: Database,
  where: Sql,
  pool: Pool,
  way: "text" | "meaning",
  found: readonly Found[],
): Promise<void> {
  const fresh = new Set(found.map(({ id }) => id).filter((id) => isUnsearched(pool.get(id))))
  if (fresh.size > 0) addCandidates(pool, fresh, await loadWithNeighbours(db, where, [...fresh]))
  for (const { id, score } of found) {
    const candidate = pool.get(id)
    if (candidate === undefined) continue
    if (way === "meaning") candidate.cosine = score
    candidate.via.delete("neighbour")
    candidate.via.add(way)
  }
}

/** Adds found candidates before their neighbours, so that of two memories of the same message the found one counts. */
function addCandidates(pool: Pool, found: ReadonlySet<string>, read: readonly Candidate[]): void {
  const { own = [], others = [] } = Object.groupBy(read, ({ id }) => (found.has(id) ? "own" : "others"))
  for (const candidate of own) if (pool.get(candidate.id) === undefined) pool.add(candidate)
  for (const candidate of others) {
    if (pool.neighbour(candidate, 0) !== undefined) continue
    candidate.via.add("neighbour")
    pool.add(candidate)
  }
}

/** Whether no search has found it yet; then its neighbours are not loaded either. */
function isUnsearched(candidate: Candidate | undefined): boolean {
  return candidate === undefined || candidate.via.has("neighbour")
}

/** How many messages on each side count as neighbours. */
const reach = 2

/** These memories and their neighbours. SQLite keeps the order of a cross join, so it starts from the found memories. */
function loadWithNeighbours(db: Database, where: Sql, ids: readonly string[]): Promise<Candidate[]> {
  return load(
    db,
    sql`m.seq in (
      select f.seq from memories f where f.id in ${sqlList(ids)}
      union all
      select n.seq from memories f cross join memories n
      where f.id in ${sqlList(ids)} and n.session_id = f.session_id
        and n.message_index between f.message_index - ${reach} and f.message_index + ${reach}
    ) and ${where}`,
  )
}

/** A longer text that ends with a question also contains statements. */
const longestQuestion = 250

async function load(on: Reader, where: Sql): Promise<Candidate[]> {
  const rows = await on.read<Row>(sql`
    select ${columns} from memories m left join memory_terms t on t.seq = m.seq where ${where}`)
  const missing = rows.filter((row) => row.terms === null).map((row) => row.seq)
  const texts = await textsOf(on, missing)
  return rows.map(({ seq, id, session, message, createdAt, head, tail, size, status, terms }) => ({
    seq,
    id,
    session,
    index: message,
    createdAt,
    terms: terms === null ? termsOf(texts.get(seq) ?? "") : decodeTerms(terms),
    speaker: speakerOf(head),
    isQuestion: size <= longestQuestion && tail.includes("?") && /\?["'”»)]?\s*(\[[^\]]*\]?)?$/.test(tail),
    isReplaced: status === "superseded",
    cosine: undefined,
    via: new Set<string>(),
  }))
}

/** The texts of memories, by sequence number. */
export async function textsOf(on: Reader, seqs: readonly number[]): Promise<Map<number, string>> {
  if (seqs.length === 0) return new Map()
  const rows = await on.read<{ seq: number; content: string }>(
    sql`select seq, content from memories where seq in ${sqlList(seqs)}`,
  )
  return new Map(rows.map((row) => [row.seq, row.content]))
}

/** The word-piece vectors of memories as 8-bit codes, by id, for those that have them. */
export async function readPieces(
  on: Reader,
  model: string,
  memories: readonly Candidate[],
): Promise<Map<string, Int8Array>> {
  const ids = new Map(memories.map(({ id, seq }) => [seq, id]))
  const rows = await on.read<{ seq: number; codes: Uint8Array }>(sql`
    select seq, codes from token_vectors where model = ${model} and seq in ${sqlList([...ids.keys()])}`)
  return new Map(
    rows.map(({ seq, codes }) => [
      ids.get(seq) ?? "",
      new Int8Array(codes.buffer, codes.byteOffset, codes.byteLength),
    ]),
  )
}

/** The speaker, if a text begins like a line of a conversation: up to three capitalised words and a colon. */
function speakerOf(head: string): string | undefined {
  if (!head.includes(": ")) return undefined
  const name = /^(\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,2}): /u.exec(head)?.[1]
  return name?.toLowerCase()
}
