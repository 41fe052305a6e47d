/** How two statements relate: they can be merged, contradict each other, or neither. */
export type Relation =
  | { kind: "same" }
  | { kind: "contradicts"; reason: Opposition }
  | { kind: "differs"; reason?: string }

/** What two statements contradict each other in, in their own words. */
export interface Opposition {
  by: "number" | "version" | "ordinal" | "negation" | "antonym" | "slot" | "preference" | "alternative"
  older: string
  newer: string
}

/** The contradiction as one sentence. */
export function describeOpposition({ by, older, newer }: Opposition): string {
  return explanations[by](`“${older}”`, `“${newer}”`)
}

type Explain = (older: string, newer: string) => string

const explanations: Record<Opposition["by"], Explain> = {
  number: (older, newer) => `The number was ${older} and is now ${newer}.`,
  version: (older, newer) => `The version was ${older} and is now ${newer}.`,
  ordinal: (older, newer) => `The position in the order was ${older} and is now ${newer}.`,
  negation: (older, newer) => `One negates what the other says: ${older} against ${newer}.`,
  antonym: (older, newer) => `${older} is the opposite of ${newer}.`,
  slot: (older, newer) => `The value was ${older} and is now ${newer}.`,
  preference: (older, newer) => `The preference changed from ${older} to ${newer}.`,
  alternative: (older, newer) => `Only one of ${older} and ${newer} can be true here.`,
}
