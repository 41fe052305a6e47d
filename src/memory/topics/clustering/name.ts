import { createPace, type PaceOptions, stepWork } from "./pace.ts"
import { topicWords } from "./words.ts"

const mostWords = 3
// A third word is used only if its score is at least this share of the second's.
const thirdWorth = 0.6

/**
 * A name for each group of texts: the two or three words that many of its texts contain and others do not. `rest` are
 * texts of no group. The result is deterministic; a group without words has no name.
 */
export async function nameClusters(
  groups: readonly (readonly string[])[],
  rest: readonly string[] = [],
  options: PaceOptions = {},
): Promise<(string | undefined)[]> {
  const pace = createPace(options)
  const everywhere = new Map<string, number>()
  const counts: Map<string, number>[] = []
  for (const texts of [...groups, rest]) {
    const own = new Map<string, number>()
    for (const text of texts) {
      for (const word of topicWords(text)) own.set(word, (own.get(word) ?? 0) + 1)
      if (pace.spend(text.length * (stepWork / 10) + stepWork)) await pace.rest()
    }
    for (const [word, count] of own) everywhere.set(word, (everywhere.get(word) ?? 0) + count)
    counts.push(own)
  }
  const total = groups.reduce((sum, texts) => sum + texts.length, rest.length)
  return groups.map((texts, group) =>
    nameOf({ own: counts[group] ?? new Map(), size: texts.length, everywhere, total }),
  )
}

interface Group {
  own: ReadonlyMap<string, number>
  size: number
  everywhere: ReadonlyMap<string, number>
  total: number
}

function nameOf(group: Group): string | undefined {
  const chosen: { word: string; score: number }[] = []
  for (const scored of scoredWords(group)) {
    if (chosen.length === mostWords) break
    const second = chosen[1]?.score
    if (second !== undefined && scored.score < second * thirdWorth) break
    if (!chosen.some(({ word }) => isSameStem(word, scored.word))) chosen.push(scored)
  }
  return chosen.length === 0 ? undefined : chosen.map(({ word }) => word).join(", ")
}

/** Best first: the score is the word's share of the group's texts times the log of its ratio to other texts. */
function scoredWords({ own, size, everywhere, total }: Group): { word: string; score: number }[] {
  const least = size < 4 ? 1 : 2
  const scored = [...own].flatMap(([word, count]) => {
    if (count < least) return []
    const inside = count / size
    const outside = ((everywhere.get(word) ?? count) - count + 0.5) / (total - size + 1)
    return [{ word, score: inside * Math.log(inside / outside) }]
  })
  return scored.toSorted((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1))
}

// "test" adds nothing to "tests" or "testing".
function isSameStem(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  return long.startsWith(short) && long.length - short.length <= 3
}
