import { Tokenizer } from "@huggingface/tokenizers"
import type { TextCutter } from "./word-pieces.ts"

/** The marks before and after a text, which come first in the vocabulary. */
const begin = 0
const end = 2

/** Opens the vocabulary of a multilingual model, written as a tokenizer.json. */
export function openSentencePieces(tokenizerJson: string): TextCutter {
  const tokenizer = new Tokenizer(JSON.parse(tokenizerJson), {})
  return {
    begin,
    end,
    cut: (text) => ({ ids: tokenizer.encode(text, { add_special_tokens: false }).ids }),
  }
}
