import type { LoadedScope } from "../garden-scope.ts"

/** Another memory of the scope that may be similar. */
export interface Candidate {
  row: number
  /** The cosine, if both have vectors. */
  score: number | undefined
}

/** The candidates for one row. */
export interface Candidates {
  /** Compare their texts. */
  alike: Candidate[]
  /** May be linked: near in meaning, or said close to each other; best first. */
  linked: { row: number; score: number }[]
}

/** The least cosines. */
export interface Levels {
  /** To compare texts. */
  alike: number
  /** To link. */
  linked: number
  /** To link what was said close to each other. */
  nearby: number
}

/** At most this many are compared because their vectors are near. */
const nearest = 12
const mostLinked = 3
/** At most this many messages apart counts as said close to each other. */
const mostMessagesApart = 2

/** Finds candidates for each row by vectors, by shared words and by messages close to its own. */
export function createCandidateFinder({ rows, vectors, words }: LoadedScope, levels: Levels) {
  const firstOf = new Map<string, number>()
  const saidIn = new Map<string, number[]>()
  rows.forEach(({ key, sessionId, messageIndex }, row) => {
    if (!firstOf.has(key)) firstOf.set(key, row)
    if (sessionId === null || messageIndex === null) return
    const message = `${sessionId} ${messageIndex}`
    saidIn.set(message, [...(saidIn.get(message) ?? []), row])
  })
  const cosine = (a: number, b: number) => vectors?.cosine(a, b)
  const byScore = (a: { row: number; score: number }, b: { row: number; score: number }) =>
    b.score - a.score || a.row - b.row

  /** What was said shortly before in the same session, and is related. */
  function nearbyMessages(row: number): { row: number; score: number }[] {
    const { sessionId = null, messageIndex = null } = rows[row] ?? {}
    if (sessionId === null || messageIndex === null) return []
    const before = Array.from({ length: mostMessagesApart + 1 }, (_, back) => messageIndex - back)
    return before
      .flatMap((index) => saidIn.get(`${sessionId} ${index}`) ?? [])
      .map((other) => ({ row: other, score: other === row ? 0 : (cosine(row, other) ?? 0) }))
      .filter(({ score }) => score >= levels.nearby)
  }
  function compared(row: number, near: readonly { row: number; score: number }[]): Map<number, Candidate> {
    const alike = new Map<number, Candidate>()
    for (const { row: other } of words.sharing(row))
      alike.set(other, { row: other, score: cosine(row, other) })
    for (const one of near.slice(0, nearest)) if (one.score >= levels.alike) alike.set(one.row, one)
    const first = firstOf.get(rows[row]?.key ?? "") ?? row
    if (first !== row) alike.set(first, { row: first, score: 1 })
    return alike
  }

  /** `isOurs` says whether this row, rather than the other, compares the pair. */
  return (row: number, isOurs: (other: number) => boolean): Candidates => {
    const near = (vectors?.near(row, Math.min(levels.alike, levels.linked)) ?? [])
      .filter((one) => isOurs(one.row))
      .sort(byScore)
    const alike = [...compared(row, near).values()].filter((one) => isOurs(one.row))
    const nearby = nearbyMessages(row).filter((one) => isOurs(one.row))
    const linked = new Map(
      [...nearby, ...near.filter(({ score }) => score >= levels.linked)].map((one) => [one.row, one]),
    )
    return { alike, linked: [...linked.values()].sort(byScore).slice(0, mostLinked) }
  }
}
