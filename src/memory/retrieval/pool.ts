import type { Database } from "../../storage/database.ts"
import type { Found } from "../../storage/search.ts"
import { type Sql, sql, sqlList, sqlRows } from "../../storage/sql.ts"
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
  status: string
  terms: Uint8Array | null
}

const columns = sql`m.seq as seq, m.id as id, m.session_id as session, m.message_index as place,
  m.created_at as "createdAt", substr(m.content, 1, 48) as head,
  substr(m.content, case when length(m.content) > 80 then length(m.content) - 79 else 1 end) as tail,
  m.status as status, t.terms as terms`

/** All candidates of one question. */
export type Pool = Map<string, Candidate>

/** Loads what was found by text and by meaning, and the messages before and after each. */
export async function openPool(
  db: Database,
  where: Sql,
  found: { text: readonly Found[]; meaning: readonly Found[] },
): Promise<Pool> {
  const ids = [...new Set([...found.text, ...found.meaning].map((hit) => hit.id))]
  const pool: Pool = new Map()
  const matches = sql`m.id in ${sqlList(ids)} and ${where}`
  for (const candidate of await load(db, sql`memories m`, matches)) pool.set(candidate.id, candidate)
  for (const { id } of found.text) pool.get(id)?.via.add("text")
  for (const { id, score } of found.meaning) {
    const candidate = pool.get(id)
    if (candidate === undefined) continue
    candidate.cosine = score
    candidate.via.add("meaning")
  }
  await addNeighbours(db, where, pool)
  return pool
}

/** How many messages on each side belong to a message's surroundings. */
const reach = 2

async function addNeighbours(db: Database, where: Sql, pool: Pool): Promise<void> {
  const wanted = new Map<string, [string, number]>()
  const there = new Set([...pool.values()].map(placeKey))
  for (const { session, index } of pool.values()) {
    if (session === null || index === null) continue
    for (let step = -reach; step <= reach; step += 1) {
      const key = `${session}\n${index + step}`
      if (index + step >= 0 && !there.has(key)) wanted.set(key, [session, index + step])
    }
  }
  if (wanted.size === 0) return
  const places = sqlRows([...wanted.values()])
  const from = sql`(with w (session, place) as (values ${places}) select session, place from w) w
    join memories m on m.session_id = w.session and m.message_index = cast(w.place as integer)`
  for (const candidate of await load(db, from, where)) {
    candidate.via.add("neighbour")
    pool.set(candidate.id, candidate)
  }
}

async function load(on: Reader, from: Sql, where: Sql): Promise<Candidate[]> {
  const rows = await on.read<Row>(sql`
    select ${columns} from ${from} left join memory_terms t on t.seq = m.seq where ${where}`)
  const missing = rows.filter((row) => row.terms === null).map((row) => row.seq)
  const texts = await textsOf(on, missing)
  return rows.map(({ head, tail, status, terms, place, ...row }) => ({
    ...row,
    index: place,
    terms: terms === null ? termsOf(texts.get(row.seq) ?? "") : termsFrom(terms),
    speaker: speakerOf(head),
    isQuestion: /\?["'”»)]?\s*(\[[^\]]*\]?)?$/.test(tail),
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
  const name = /^(\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,2}): /u.exec(head)?.[1]
  return name?.toLowerCase()
}

/** The same for two candidates at the same place of one session. */
export function placeKey({ session, index }: Pick<Candidate, "session" | "index">): string {
  return `${session}\n${index}`
}
