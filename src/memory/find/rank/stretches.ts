import type { Database } from "../../../storage/database.ts"
import { type Sql, sql, sqlTable } from "../../../storage/sql.ts"
import { decodeTerms } from "../../model/words/word-index.ts"
import type { Candidate } from "../pool.ts"
import { type Bm25, sumCounts, type TermCounts } from "./lexical.ts"

/**
 * A part of a session around candidates: all of a short session, parts of a long one. A candidate without a session is
 * alone in its stretch.
 */
export interface Stretch {
  session: string | null
  from: number
  to: number
  candidates: Candidate[]
}

/** How many messages a stretch extends beyond its first and last candidate. */
const reach = 12

/** The stretch of each candidate. */
export function stretchesOf(candidates: readonly Candidate[]): Map<Candidate, Stretch> {
  const stretches = new Map<Candidate, Stretch>()
  const last = new Map<string, Stretch>()
  for (const candidate of candidates.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))) {
    const { session, index } = candidate
    const [from, to] = [(index ?? 0) - reach, (index ?? 0) + reach]
    const before = session === null || index === null ? undefined : last.get(session)
    const stretch =
      before && from <= before.to
        ? before
        : { session: index === null ? null : session, from, to, candidates: [] }
    stretch.to = to
    stretch.candidates.push(candidate)
    stretches.set(candidate, stretch)
    if (stretch.session !== null) last.set(stretch.session, stretch)
  }
  return stretches
}

/** The content of a stretch. */
export interface ReadStretch {
  /** The term counts of all its messages. */
  counted: TermCounts
  /** The cosines of its messages, highest first. */
  cosines: readonly number[]
}

/** Reads the visible messages of stretches. */
export async function readStretches(
  db: Database,
  where: Sql,
  bm25: Bm25,
  question: { model: string; vector: Float32Array } | undefined,
  stretches: readonly Stretch[],
): Promise<Map<Stretch, ReadStretch>> {
  const members = [...(await readMembers(db, where, stretches)), ...aloneIn(stretches)]
  const seqs = members.map(({ seq }) => seq)
  const cosines = question ? await db.search.cosines({ ...question, seqs }) : new Map<number, number>()
  const read = new Map<Stretch, ReadStretch>()
  for (const [stretch, its] of Map.groupBy(members, (member) => member.stretch)) {
    read.set(stretch, {
      counted: sumCounts(its.map(({ terms }) => bm25.count(terms))),
      cosines: its.flatMap(({ seq }) => cosines.get(seq) ?? []).sort((a, b) => b - a),
    })
  }
  return read
}

interface Member {
  stretch: Stretch
  seq: number
  terms: Uint32Array
}

function aloneIn(stretches: readonly Stretch[]): Member[] {
  return stretches.flatMap((stretch) =>
    stretch.session === null ? stretch.candidates.map(({ seq, terms }) => ({ stretch, seq, terms })) : [],
  )
}

async function readMembers(db: Database, where: Sql, stretches: readonly Stretch[]): Promise<Member[]> {
  const wanted = stretches.flatMap(({ session, from, to }, nth) =>
    session === null ? [] : [[nth, session, from, to]],
  )
  if (wanted.length === 0) return []
  const ranges = sqlTable({ nth: "bigint", session: "text", low: "bigint", high: "bigint" }, wanted)
  // SQLite keeps the order of a cross join, so it starts from the stretches.
  const rows = await db.read<{ nth: number; seq: number; terms: Uint8Array }>(sql`
    select w.nth as nth, m.seq as seq, t.terms as terms
    from ${ranges} w cross join memories m join memory_terms t on t.seq = m.seq
    where m.session_id = w.session and m.message_index between w.low and w.high and ${where}`)
  return rows.flatMap(({ nth, seq, terms }) => {
    const stretch = stretches[nth]
    return stretch ? [{ stretch, seq, terms: decodeTerms(terms) }] : []
  })
}
