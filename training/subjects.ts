import type { PairRelation } from "../src/judgement/judgement.ts"

/** One thing that has one state at a time, as an author wrote it down. */
export interface Subject {
  lang: string
  /** States that exclude each other, each in two wordings. */
  states: [string, string][]
  /** What every wording of a state answers, and no note beside does. */
  questions: string[]
  /** Notes that hold whatever the state is, each with a question that it answers and the states do not. */
  beside: { note: string; question: string }[]
}

/** Two notes that were not written as a pair. */
export interface Pair {
  old: string
  new: string
  label: PairRelation
  lang: string
  origin: "subject" | "kind"
}

/** Of each two states two pairs, of each note beside three, one of each state with itself, and some notes beside each other. */
export function pairsOfSubject({ states, beside, lang }: Subject): Pair[] {
  const made: Pair[] = []
  const put = (old: string | undefined, newer: string | undefined, label: PairRelation) => {
    if (old !== undefined && newer !== undefined)
      made.push({ old, new: newer, label, lang, origin: "subject" })
  }
  const wordings = states.flat()
  for (const [at, state] of states.entries()) {
    put(state[at % 2], state[1 - (at % 2)], "duplicate")
    for (const [index, other] of states.slice(at + 1).entries()) {
      const turn = (at + index) % 2
      put(state[turn], other[1 - turn], "update")
      put(other[turn], state[turn], "update")
    }
  }
  for (const [at, { note }] of beside.entries()) {
    for (const place of [at, at + 3, at + 6]) {
      const wording = wordings[place % wordings.length]
      if ((at + place) % 3 === 0) put(note, wording, "compatible")
      else put(wording, note, "compatible")
    }
    put(note, beside[at + 1]?.note, "compatible")
  }
  return made
}

interface Asked {
  kind: "answers" | "near"
  question: string
  note: string
  lang: string
}

/** Each question with three wordings that answer it and the notes beside; each of theirs with their note and two wordings. */
export function answersOfSubject({ states, beside, questions, lang }: Subject): Asked[] {
  const wordings = states.flat()
  const some = (from: number, step: number, count: number) =>
    Array.from({ length: count }, (_, index) => wordings[(from + index * step) % wordings.length] ?? "")
  const ask = (kind: Asked["kind"], question: string, notes: readonly string[]) =>
    notes.map((note): Asked => ({ kind, question, note, lang }))
  const notes = beside.map(({ note }) => note)
  return [
    ...questions.flatMap((question, at) => [
      ...ask("answers", question, some(at, 3, 3)),
      ...ask("near", question, notes),
    ]),
    ...beside.flatMap(({ note, question }, at) => [
      ...ask("answers", question, [note]),
      ...ask("near", question, [...some(at, 3, 2), notes[(at + 1) % notes.length] ?? ""]),
    ]),
  ]
}
