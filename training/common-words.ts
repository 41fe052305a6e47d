// node training/common-words.ts: writes assets/words/common.json, how common words are in what people type to agents.
// Counted over the messages of the authors that took part in training; whoever was left out is left out here too.
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { loadAuthors } from "../bench/judgement/authors.ts"
import { termOf } from "../src/language/terms.ts"
import { searchTerms } from "../src/storage/search.ts"

/** A word that fewer messages have, or only one author uses, is nobody's habit. */
const fewest = { messages: 5, authors: 2 }

interface Word {
  /** Its shortest form. */
  word: string
  messages: number
  authors: Set<string>
}

const words = new Map<number, Word>()
let messages = 0
for (const author of loadAuthors().filter(({ isLeftOut }) => !isLeftOut)) {
  for (const { message } of author.messages) {
    messages += 1
    const terms = new Map(searchTerms(message).map((word) => [termOf(word), word]))
    for (const [term, word] of terms) {
      const known = words.get(term) ?? { word, messages: 0, authors: new Set() }
      known.messages += 1
      known.authors.add(author.name)
      if (word.length < known.word.length) known.word = word
      words.set(term, known)
    }
  }
}
const common = [...words.values()]
  .filter((one) => one.messages >= fewest.messages && one.authors.size >= fewest.authors)
  .sort((a, b) => b.messages - a.messages || (a.word < b.word ? -1 : 1))
const byCount = Map.groupBy(common, (one) => one.messages)
const counts = Object.fromEntries(
  Array.from(byCount, ([count, some]) => [`${count}`, some.map(({ word }) => word).join(" ")]),
)
const file = fileURLToPath(new URL("../assets/words/common.json", import.meta.url))
writeFileSync(file, `${JSON.stringify({ messages, counts }, null, 2)}\n`)
process.stdout.write(`${common.length} words of ${messages} messages\n`)
