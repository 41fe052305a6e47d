import common from "../../../assets/words/common.json" with { type: "json" }
import { type Term, termOf } from "../terms.ts"

let shares: Map<Term, number> | undefined

/** The share of messages to agents that contain this word, 0 to 1; 0 for an uncommon one. */
export function commonShare(term: Term): number {
  shares ??= new Map(
    Object.entries(common.counts).flatMap(([count, words]) =>
      words.split(" ").map((word): [Term, number] => [termOf(word), Number(count) / common.messages]),
    ),
  )
  return shares.get(term) ?? 0
}
