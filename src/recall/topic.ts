import { dot } from "../base/dot.ts"
import { termsOf } from "../language/terms.ts"
import { stopWords, wordsIn } from "../storage/search.ts"

/** What was said lately, newest last: texts, and their vectors where there is an embedder. */
export interface TopicSoFar {
  texts: readonly string[]
  vectors: readonly Float32Array[]
  /** Whether what was said last before the new text asks something: then the new text is probably an answer. */
  wasAsked: boolean
}

/** So many of the latest prompts are what the talk is about. */
export const topicWindow = 3

/** At least so likely, and the talk has turned to something else. */
const changedFrom = { meaning: 0.3, words: 0.25 }

/**
 * What each sign of a change counts for, as a logistic regression on dialogues with labelled topics found; see
 * `npm run bench -- topic-shift`. The phrases are too rare there to be fitted: they are given what decides alone.
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
const saidSo = 4

/** How people say that they come to something else. */
const changePhrases =
  /\b(by the way|btw|speaking of|that reminds me|on (?:an)?other (?:note|topic)|chang(?:e|ing) (?:of )?(?:the )?(?:subject|topic)|(?:different|new|next|another|separate|unrelated) (?:topic|question|subject|task|issue)|unrelated(?:ly)?[,:]|switch(?:ing)? (?:over )?to (?:a|an|the)\b|let'?s (?:move on|turn to)|moving on|forget (?:that|about (?:that|it)))/i

/** Whether a text says itself that it is about something else. */
export function saysChange(text: string): boolean {
  return changePhrases.test(text)
}

/** Whether the talk turns to something else with this text. A text that says nothing of its own goes on with anything. */
export function isTopicChange(soFar: TopicSoFar, text: string, vector: Float32Array | undefined): boolean {
  if (soFar.texts.length === 0 || isEmpty(text)) return false
  const byMeaning = vector !== undefined && soFar.vectors.length > 0
  return changeLikelihood(soFar, text, vector) > changedFrom[byMeaning ? "meaning" : "words"]
}

/** Fewer telling words than this, such as in "yes, go on", are no topic. */
const fewestWords = 2

function isEmpty(text: string): boolean {
  return wordsIn(text).filter((word) => !stopWords.has(word)).length < fewestWords
}

/**
 * How likely a text is about something else than what was said before it, 0 to 1.
 * @internal exported for the benchmark
 */
export function changeLikelihood(
  { texts, vectors, wasAsked }: TopicSoFar,
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
    (saysChange(text) ? saidSo : 0)
  return 1 / (1 + Math.exp(-sum))
}

/** Whether a text asks something. */
export function asks(text: string): boolean {
  return text.includes("?")
}
