import common from "../../../assets/words/common.json" with { type: "json" }
import { type Term, termOf } from "../terms.ts"

/** Made at the first question. */
let shares: Map<Term, number> | undefined

/** How many of the messages that people type to agents have this word, 0 to 1; 0 for one that is not common. */
export function commonShare(term: Term): number {
  shares ??= new Map(
    Object.entries(common.counts).flatMap(([count, words]) =>
      words.split(" ").map((word): [Term, number] => [termOf(word), Number(count) / common.messages]),
    ),
  )
  return shares.get(term) ?? 0
}
