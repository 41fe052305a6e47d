import { termOf } from "../../../language/terms.ts"
import { stopWords } from "../../../storage/search.ts"
import type { Lexicon } from "../../model/words/word-index.ts"
import type { Pool } from "../pool.ts"
import { rarityOf } from "./lexical.ts"
import type { Recipe } from "./recipe.ts"

/** What a word that says nothing, and the name of somebody who speaks, count of their rarity. */
const emptyWord = 0.2
const speakersName = 0.7

/** How much a word of the question counts in late interaction: the rarer, the more. */
export function pieceWeights(
  { rarityPower }: Recipe,
  lexicon: Lexicon,
  pool: Pool,
): (word: string) => number {
  const names = new Set(Array.from(pool.values()).flatMap(({ speaker }) => speaker?.split(" ") ?? []))
  return (word) => {
    if (!/[\p{L}\p{N}]/u.test(word)) return 0
    const kind = stopWords.has(word) ? emptyWord : names.has(word) ? speakersName : 1
    return (rarityOf(lexicon, termOf(word)) * kind) ** rarityPower
  }
}
