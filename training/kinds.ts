import type { Pair } from "./subjects.ts"

/** Names that do one job, one at a time; statements say `{x}` where the name stands. */
export interface Kind {
  names: string[]
  /** That the name does the job, in other words each. */
  says: string[]
  /** What holds whichever name does the job. */
  beside: string[]
}

const updates = 12
const repetitions = 3
const holding = 6

/** Other names in other words are updates, the same name in other words repeats, and the rest holds beside. */
export function pairsOfKind({ names, says, beside }: Kind): Pair[] {
  const pick = (from: readonly string[], at: number) => from[at % from.length] ?? ""
  const say = (from: readonly string[], at: number, name: number) =>
    pick(from, at).replaceAll("{x}", pick(names, name))
  const made = (count: number, pair: (at: number) => Omit<Pair, "lang" | "origin">): Pair[] =>
    Array.from({ length: count }, (_, at) => ({ ...pair(at), lang: "en", origin: "kind" }))
  return [
    ...made(updates, (at) => ({
      old: say(says, at, at),
      new: say(says, at + 1 + (at % (says.length - 1)), at + 1 + (at % (names.length - 1))),
      label: "update",
    })),
    ...made(repetitions, (at) => ({
      old: say(says, at, at + 2),
      new: say(says, at + 2, at + 2),
      label: "duplicate",
    })),
    ...made(holding, (at) => ({
      old: say(says, at, at),
      new: say(beside, at, at + (at % 3)),
      label: "compatible",
    })),
  ]
}
