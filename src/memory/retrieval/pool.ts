import type { Database } from "../../storage/database.ts"
import type { Found } from "../../storage/search.ts"
import { type Sql, sql, sqlList, sqlTable } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { termsFrom } from "../lexicon.ts"
import { termsOf } from "../terms.ts"

/** A memory that may be an answer, with what ranking needs to know of it. */
export interface Candidate {
  seq: number
  id: string
  session: string | null
  index: number | null
  createdAt: number
  terms: Uint32Array
  /** Who says it, if it begins like a line of a conversation; lower case. */
  speaker: string | undefined
  /** It asks something itself, which is seldom an answer; but what follows it may be. */
  isQuestion: boolean
  /** Another memory replaced it; that one is shown instead. */
  isReplaced: boolean
  /** How near it is in meaning; undefined if that search did not find it. */
  cosine: number | undefined
  /** How it was found. */
  via: Set<string>
}

interface Row {
  seq: number
  id: string
  session: string | null
  place: number | null
  createdAt: number
  head: string
  tail: string
  size: number
  status: string
  terms: Uint8Array | null
}

const columns = sql`m.seq as seq, m.id as id, m.session_id as session, m.message_index as place,
  m.created_at as "createdAt", substr(m.content, 1, 48) as head,
  substr(m.content, case when length(m.content) > 80 then length(m.content) - 79 else 1 end) as tail,
  length(m.content) as size, m.status as status, t.terms as terms`

/** All candidates of one question, and who stands beside whom. */
export class Pool {
  readonly #byId = new Map<string, Candidate>()
  readonly #sessions = new Map<string, Map<number, Candidate>>()

  add(candidate: Candidate): void {
    this.#byId.set(candidate.id, candidate)
    const { session, index } = candidate
    if (session === null || index === null) return
    const places = this.#sessions.get(session) ?? new Map<number, Candidate>()
    if (places.size === 0) this.#sessions.set(session, places)
    places.set(index, candidate)
  }

  get(id: string): Candidate | undefined {
    return this.#byId.get(id)
  }

  values(): Iterable<Candidate> {
    return this.#byId.values()
  }

  /** The candidate that many messages later, or earlier for a negative step. */
  beside({ session, index }: Candidate, step: number): Candidate | undefined {
    return session === null || index === null ? undefined : this.#sessions.get(session)?.get(index + step)
  }
}

/** Adds what a search found to a pool, and the messages before and after each. */
export async function addFound(
  db: Database,
  where: Sql,
  pool: Pool,
  way: "text" | "meaning",
  found: readonly Found[],
): Promise<void> {
  const missing = found.map(({ id }) => id).filter((id) => pool.get(id) === undefined)
  if (missing.length > 0) {
    const matches = sql`m.id in ${sqlList(missing)} and ${where}`
    for (const candidate of await load(db, sql`memories m`, matches)) pool.add(candidate)
  }
  const there = found.flatMap(({ id, score }) => {
    const candidate = pool.get(id)
    if (candidate === undefined) return []
    if (way === "meaning") candidate.cosine = score
    candidate.via.delete("neighbour")
    candidate.via.add(way)
    return [candidate]
  })
  await addNeighbours(db, where, pool, there)
}

/** How many messages on each side belong to a message's surroundings. */
const reach = 2

async function addNeighbours(
  db: Database,
  where: Sql,
  pool: Pool,
  found: readonly Candidate[],
): Promise<void> {
  const wanted = new Map<string, [string, number]>()
  for (const candidate of found) {
    const { session, index } = candidate
    if (session === null || index === null) continue
    for (let step = -reach; step <= reach; step += 1) {
      if (index + step < 0 || pool.beside(candidate, step)) continue
      wanted.set(`${session}\n${index + step}`, [session, index + step])
    }
  }
  if (wanted.size === 0) return
  const places = sqlTable({ session: "text", place: "bigint" }, [...wanted.values()])
  // Places first, then their memories: SQLite keeps to the order of a cross join even before it has counted anything.
  const neighbours = sql`${places} w cross join memories m`
  const there = sql`m.session_id = w.session and m.message_index = w.place and ${where}`
  for (const candidate of await load(db, neighbours, there)) {
    candidate.via.add("neighbour")
    pool.add(candidate)
  }
}

/** A longer text that ends with a question also tells something. */
const longestQuestion = 250

async function load(on: Reader, from: Sql, where: Sql): Promise<Candidate[]> {
  const rows = await on.read<Row>(sql`
    select ${columns} from ${from} left join memory_terms t on t.seq = m.seq where ${where}`)
  const missing = rows.filter((row) => row.terms === null).map((row) => row.seq)
  const texts = await textsOf(on, missing)
  return rows.map(({ seq, id, session, place, createdAt, head, tail, size, status, terms }) => ({
    seq,
    id,
    session,
    index: place,
    createdAt,
    terms: terms === null ? termsOf(texts.get(seq) ?? "") : termsFrom(terms),
    speaker: speakerOf(head),
    isQuestion: size <= longestQuestion && tail.includes("?") && /\?["'”»)]?\s*(\[[^\]]*\]?)?$/.test(tail),
    isReplaced: status === "superseded",
    cosine: undefined,
    via: new Set<string>(),
  }))
}

/** The texts of memories whose words were not noted yet. */
async function textsOf(on: Reader, seqs: readonly number[]): Promise<Map<number, string>> {
  if (seqs.length === 0) return new Map()
  const rows = await on.read<{ seq: number; content: string }>(
    sql`select seq, content from memories where seq in ${sqlList(seqs)}`,
  )
  return new Map(rows.map((row) => [row.seq, row.content]))
}

/** Who says it, if it begins like a line of a conversation: up to three capitalised words and a colon. */
function speakerOf(head: string): string | undefined {
  if (!head.includes(": ")) return undefined
  const name = /^(\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,2}): /u.exec(head)?.[1]
  return name?.toLowerCase()
}
