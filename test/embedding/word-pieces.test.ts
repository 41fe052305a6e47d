import { Tokenizer } from "@huggingface/tokenizers"
import { assert, property, string } from "fast-check"
import { beforeAll, expect, test } from "vitest"
import { openWordPieces, type WordPieces } from "../../src/embedding/runtime/word-pieces.ts"
import { describeWithModel, tokenizerJson } from "../../testkit/embedding.ts"

const oddTexts = [
  "",
  " ",
  "Hello world",
  "The quick brown fox jumps over the lazy dog.",
  "don't can't I'll you're 3.14 $5,000.00 50% e.g. U.S.A.",
  "Crème brûlée in Zürich, naïve façade, Ærøskøbing, İstanbul, Σίσυφος",
  "src/embedding/runtime/word-pieces.ts:42 --flag=value && foo_bar->baz()",
  "日本語のテキスト と 中文字符 和 한국어",
  "emoji 🎉👩‍👩‍👧 and flags 🇩🇪 inside",
  "tabs\tnewlines\r\nand\u00a0no-break\u3000spaces",
  "control\u0000characters\u200b\u200d\ufeff and \ufffd",
  "“quotes” — dashes – ellipsis… ¿qué? «oui»",
  "a".repeat(100),
  "a".repeat(101),
  "supercalifragilisticexpialidocious antidisestablishmentarianism",
  "\u037e \u1fef \u2126 \ufb01ne \u00bd",
  "\u4e00\u9fff\u3400\uf900",
  "मैं हिन्दी बोलता हूँ และ ภาษาไทย",
  "^_^ `code` ~tilde~ | pipe | + = < >",
]

/**
 * Where we differ on purpose. Marks are plain text for us: nobody may write them into a memory and mean them. The
 * other two are cut as the original tokenizer does it: rare Chinese characters are words, a capital sigma has one
 * small form.
 */
const differs = /\[[A-Z]+\]|[\u{20000}-\u{2fa1f}]|Σ/u

describeWithModel("Word pieces", () => {
  let words: WordPieces
  let oracle: (text: string) => number[]

  beforeAll(() => {
    const json = JSON.parse(tokenizerJson())
    const tokenizer = new Tokenizer(json, { model_max_length: 1_000_000 })
    words = openWordPieces(JSON.stringify(json))
    oracle = (text) => [...tokenizer.encode(text, { add_special_tokens: false }).ids]
  })

  test.each(oddTexts)("are those of Hugging Face's tokenizer: %j", (text) => {
    expect(words.tokenize(text).ids).toEqual(oracle(text))
  })

  test("are those of Hugging Face's tokenizer for any text", () => {
    assert(
      property(string({ unit: "binary", maxLength: 60 }), (text) => {
        if (differs.test(text)) return
        expect(words.tokenize(text).ids).toEqual(oracle(text))
      }),
      { numRuns: 1000 },
    )
  })

  test("are one for each rare Chinese character", () => {
    expect(words.tokenize("\u{20000}\u{2a700}\u{2f800}").ids).toHaveLength(3)
  })

  test("leave marks inside a text as plain text", () => {
    const { ids } = words.tokenize("[CLS] [SEP] [MASK]")
    expect(ids).not.toContain(words.begin)
    expect(ids).not.toContain(words.end)
  })

  test("know where their word stands in the text as it was given", () => {
    const text = "  Zürich\u200b hosts Embeddings, 中文!"
    const { ids, starts, ends } = words.tokenize(text)
    const slices = ids.map((_, index) => text.slice(starts[index], ends[index]))
    expect([...new Set(slices)]).toEqual(["Zürich", "hosts", "Embeddings", ",", "中", "文", "!"])
    expect(slices.filter((slice) => slice === "Embeddings").length).toBeGreaterThan(1)
  })
})
