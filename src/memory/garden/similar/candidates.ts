import type { LoadedScope } from "../garden-scope.ts"

/** Another memory of the scope that may have to do with a row's. */
export interface Candidate {
  row: number
  /** The cosine, where both have vectors. */
  score: number | undefined
}

/** What there is to look at for one row. */
export interface Candidates {
  /** Their texts are to be compared. */
  alike: Candidate[]
  /** They may be linked: near in meaning, or said beside each other; best first. */
  linked: { row: number; score: number }[]
}

/** From which cosine on what is looked at. */
export interface Levels {
  /** Texts are compared. */
  alike: number
  /** Links are made. */
  linked: number
  /** Links are made between what was said beside each other. */
  beside: number
}

/** How many are compared because they are near. */
const nearest = 12
const mostLinked = 3
/** How many messages lie between two things that were said beside each other, at most. */
const besideMessages = 2

/** Finds what may be the same as, opposed to, or linked with each row, by meaning, by words and by the message that said them. */
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

  /** What was said right before, in the same session, and has to do with it. */
  function besides(row: number): { row: number; score: number }[] {
    const { sessionId = null, messageIndex = null } = rows[row] ?? {}
    if (sessionId === null || messageIndex === null) return []
    const before = Array.from({ length: besideMessages + 1 }, (_, back) => messageIndex - back)
    return before
      .flatMap((index) => saidIn.get(`${sessionId} ${index}`) ?? [])
      .map((other) => ({ row: other, score: other === row ? 0 : (cosine(row, other) ?? 0) }))
      .filter(({ score }) => score >= levels.beside)
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

  /** `isOurs` tells whether a pair with this row is this row's to look at, rather than the other's. */
  return (row: number, isOurs: (other: number) => boolean): Candidates => {
    const near = (vectors?.near(row, Math.min(levels.alike, levels.linked)) ?? [])
      .filter((one) => isOurs(one.row))
      .sort(byScore)
    const alike = [...compared(row, near).values()].filter((one) => isOurs(one.row))
    const beside = besides(row).filter((one) => isOurs(one.row))
    const linked = new Map(
      [...beside, ...near.filter(({ score }) => score >= levels.linked)].map((one) => [one.row, one]),
    )
    return { alike, linked: [...linked.values()].sort(byScore).slice(0, mostLinked) }
  }
}
