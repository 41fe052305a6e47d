import { contentKey } from "../../src/memory/model/memory.ts"
import { loadLocomo } from "../quality/locomo.ts"
import { loadLongMemEval, poolOf } from "../quality/longmemeval.ts"
import { loadMemaware } from "../quality/memaware.ts"
import { dataFolder } from "../shared/data.ts"

const fewestWords = 5
const mostWords = 30

/** Sentences that people and assistants really wrote, each once, in one order: the first thousand of ten thousand are the thousand. */
export async function naturalSentences(count: number): Promise<string[]> {
  const turns = [
    ...loadLocomo(dataFolder("locomo")).flatMap(({ items }) => items),
    ...poolOf(loadLongMemEval(dataFolder("longmemeval"))),
    ...(await loadMemaware(dataFolder("memaware"))).items,
  ]
  const found = new Map<string, string>()
  // Every n-th turn first, so that each size has something of all data sets.
  const stride = 97
  for (let start = 0; start < stride && found.size < count; start += 1) {
    for (let at = start; at < turns.length && found.size < count; at += stride) {
      for (const sentence of sentencesIn(turns[at]?.content ?? "")) {
        const key = contentKey(sentence)
        if (!found.has(key) && found.size < count) found.set(key, sentence)
      }
    }
  }
  if (found.size < count) throw new Error(`the data has only ${found.size} sentences, not ${count}`)
  return [...found.values()]
}

function sentencesIn(turn: string): string[] {
  const text = turn.replace(/^[^:\n]{1,30}: /, "")
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) =>
      sentence
        .replaceAll(/[*#`_>|]+/g, "")
        .replace(/^[-•\d.)\s]+/, "")
        .trim(),
    )
    .filter((sentence) => {
      const words = sentence.split(/\s+/).length
      return words >= fewestWords && words <= mostWords && /^\p{Lu}/u.test(sentence)
    })
}
