import { dot } from "../base/vector.ts"
import { termsOf } from "../language/terms.ts"
import { stopWords, tokenize } from "../storage/search.ts"

/** The latest prompts, newest last, and their vectors if there is an embedder. */
export interface RecentTopic {
  texts: readonly string[]
  vectors: readonly Float32Array[]
  /** Whether the last message before the new text is a question: then the new text is probably an answer. */
  wasAsked: boolean
}

/** How many of the latest prompts make up the topic. */
export const topicWindow = 3

/** From this likelihood on, the topic has changed. */
const changedFrom = { meaning: 0.3, words: 0.25 }

/**
 * Weights of a logistic regression on dialogues with labelled topics; see `npm run bench -- topic-shift`. The phrases are
 * too rare there to be fitted: their weight decides alone.
 */
const weights = {
  meaning: {
    base: -1.07,
    previous: -3.84,
    nearest: -2.31,
    shared: -0.44,
    words: 0.64,
    asks: 1.72,
    answers: -0.78,
  },
  words: { base: -2.05, previous: 0, nearest: 0, shared: -2.54, words: 0.42, asks: 1.52, answers: -1.16 },
}
const announced = 4

/** Phrases that announce another topic. */
const changePhrases =
  /\b(by the way|btw|speaking of|that reminds me|on (?:an)?other (?:note|topic)|chang(?:e|ing) (?:of )?(?:the )?(?:subject|topic)|(?:different|new|next|another|separate|unrelated) (?:topic|question|subject|task|issue)|unrelated(?:ly)?[,:]|switch(?:ing)? (?:over )?to (?:a|an|the)\b|let'?s (?:move on|turn to)|moving on|forget (?:that|about (?:that|it)))/i

/** Whether a text announces another topic. */
export function announcesChange(text: string): boolean {
  return changePhrases.test(text)
}

/** Whether a text changes the topic. A text without content of its own does not. */
export function isTopicChange(recent: RecentTopic, text: string, vector: Float32Array | undefined): boolean {
  if (recent.texts.length === 0 || isEmpty(text)) return false
  const byMeaning = vector !== undefined && recent.vectors.length > 0
  return changeLikelihood(recent, text, vector) > changedFrom[byMeaning ? "meaning" : "words"]
}

/** A text with fewer content words, such as "yes, go on", has no topic. */
const fewestWords = 2

function isEmpty(text: string): boolean {
  return tokenize(text).filter((word) => !stopWords.has(word)).length < fewestWords
}

/**
 * How likely a text changes the topic, 0 to 1.
 * @internal exported for the benchmark
 */
export function changeLikelihood(
  { texts, vectors, wasAsked }: RecentTopic,
  text: string,
  vector: Float32Array | undefined,
): number {
  const cosines = vector === undefined ? [] : vectors.map((one) => dot(one, vector))
  const weight = weights[cosines.length > 0 ? "meaning" : "words"]
  const terms = new Set(termsOf(text))
  const before = new Set(texts.flatMap((one) => [...termsOf(one)]))
  const shared = [...terms].filter((term) => before.has(term)).length / Math.max(1, terms.size)
  const sum =
    weight.base +
    weight.previous * (cosines.at(-1) ?? 0) +
    weight.nearest * (cosines.length > 0 ? Math.max(...cosines) : 0) +
    weight.shared * shared +
    weight.words * Math.log1p(terms.size) +
    (asks(text) ? weight.asks : 0) +
    (wasAsked ? weight.answers : 0) +
    (announcesChange(text) ? announced : 0)
  return 1 / (1 + Math.exp(-sum))
}

export function asks(text: string): boolean {
  return text.includes("?")
}
