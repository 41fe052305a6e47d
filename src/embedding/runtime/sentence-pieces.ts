import { Tokenizer } from "@huggingface/tokenizers"
import type { TextTokenizer } from "./word-pieces.ts"

/** The marks before and after a text in this vocabulary. */
const begin = 0
const end = 2

/** Opens the tokenizer.json of a multilingual model. */
export function openSentencePieces(tokenizerJson: string): TextTokenizer {
  const tokenizer = new Tokenizer(JSON.parse(tokenizerJson), {})
  return {
    begin,
    end,
    tokenize: (text) => ({ ids: tokenizer.encode(text, { add_special_tokens: false }).ids }),
  }
}
