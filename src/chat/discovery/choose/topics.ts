import { type Term, termsOf } from "../../../language/terms.ts"

/** The topics of a community: terms with their weights. */
export type Topics = ReadonlyMap<Term, number>

export interface AuthoredText {
  author: string
  text: string
}

const mostMessages = 400

/**
 * The topics of messages, in any language: terms that several messages share, weighted by the number of authors. Terms in
 * very many messages are common words, so no stop list is needed.
 */
export function topicsOf(messages: readonly AuthoredText[]): Topics {
  const uses = new Map<Term, { messages: number; authors: Set<string> }>()
  const counted = messages.slice(-mostMessages)
  for (const { author, text } of counted) {
    for (const term of new Set(termsOf(text.slice(0, 4000).replaceAll(/https?:\/\/\S+/g, " ")))) {
      const use = uses.get(term) ?? { messages: 0, authors: new Set() }
      use.messages += 1
      use.authors.add(author)
      uses.set(term, use)
    }
  }
  const topics = new Map<Term, number>()
  for (const [term, use] of uses) {
    const rarity = Math.log((counted.length + 1) / use.messages)
    const weight = Math.log2(1 + use.messages) * Math.sqrt(use.authors.size) * Math.max(0, rarity)
    if (weight > 0) topics.set(term, weight)
  }
  return strongest(topics, 200)
}

/** The strongest topics as words, each in its most used form. */
export function topicWords(messages: readonly AuthoredText[], most: number): string[] {
  const topics = topicsOf(messages.filter(({ text }) => text !== ""))
  const forms = new Map<Term, Map<string, number>>()
  for (const { text } of messages.slice(-mostMessages)) {
    for (const word of wordsIn(text.slice(0, 4000).replaceAll(/https?:\/\/\S+/g, " "))) {
      const [term] = termsOf(word)
      if (term === undefined || !topics.has(term)) continue
      const used = forms.get(term) ?? new Map<string, number>()
      forms.set(term, used.set(word, (used.get(word) ?? 0) + 1))
    }
  }
  return [...topics]
    .flatMap(([term]) => {
      const [best] = [...(forms.get(term) ?? [])].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      // A word of only one message is not a topic.
      return best !== undefined && best[1] > 1 ? [best[0]] : []
    })
    .slice(0, most)
}

function wordsIn(text: string): string[] {
  const parts = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)
  return [...parts].flatMap(({ segment, isWordLike }) =>
    isWordLike && segment.length > 1 && segment.length <= 40 ? [segment.toLowerCase()] : [],
  )
}

function strongest(topics: Topics, most: number): Topics {
  return new Map([...topics].sort(([a, x], [b, y]) => y - x || a - b).slice(0, most))
}

/** How much a text is about the topics, from 0 to 1, by its three best words. */
export function topicMatch(topics: Topics, text: string): number {
  const best = Math.max(0, ...topics.values())
  if (best === 0) return 0
  const found = [...new Set(termsOf(text))].map((term) => (topics.get(term) ?? 0) / best)
  const [first = 0, second = 0, third = 0] = found.toSorted((a, b) => b - a)
  return Math.min(1, 0.6 * first + 0.3 * second + 0.2 * third)
}
