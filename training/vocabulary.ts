/**
 * Cuts the vocabulary of a multilingual tokenizer down to the pieces that the rows need and the most frequent others:
 * `node training/vocabulary.ts tokenizer.json rows.jsonl OUT`. Writes OUT/pieces.json, which the program reads, and
 * OUT/kept.json, the places of the kept pieces in the whole vocabulary.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Tokenizer } from "@huggingface/tokenizers"

const [tokenizerFile = "", rowsFile = "", out = "."] = process.argv.slice(2)
/** The four marks that come first in the vocabulary. */
const marks = 4
const most = 48_000

const whole = JSON.parse(readFileSync(tokenizerFile, "utf8"))
const vocabulary: [string, number][] = whole.model.vocab
const tokenizer = new Tokenizer(whole, {})
const used = new Set<number>()
const seen = new Set<string>()
for (const line of readFileSync(rowsFile, "utf8").split("\n")) {
  if (line === "") continue
  for (const text of JSON.parse(line).texts as string[]) {
    if (seen.has(text)) continue
    seen.add(text)
    for (const id of tokenizer.encode(text, { add_special_tokens: false }).ids) used.add(id)
  }
}
const kept = new Set<number>(Array.from({ length: marks }, (_, index) => index))
for (const id of used) kept.add(id)
// The vocabulary has the most frequent pieces first.
for (let id = 0; id < vocabulary.length && kept.size < most; id += 1) kept.add(id)
const places = [...kept].sort((a, b) => a - b).filter((id) => id < vocabulary.length)
const added = whole.added_tokens.filter(({ id }: { id: number }) => id < marks)
const pieces = {
  version: whole.version,
  added_tokens: added,
  normalizer: whole.normalizer,
  pre_tokenizer: whole.pre_tokenizer,
  post_processor: null,
  decoder: null,
  model: {
    type: "Unigram",
    unk_id: whole.model.unk_id,
    vocab: places.map((id) => [vocabulary[id]?.[0], Math.round((vocabulary[id]?.[1] ?? 0) * 1000) / 1000]),
  },
}
writeFileSync(join(out, "pieces.json"), JSON.stringify(pieces))
writeFileSync(join(out, "kept.json"), JSON.stringify(places))
process.stdout.write(`${used.size} pieces are used, ${places.length} kept\n`)
