import data from "../../../assets/words/negators.json" with { type: "json" }
import { wordSet } from "./word-lists.ts"

/** English negators, those of most words first: the word that remains in the sentence, and whether something has ended. */
export const englishNegators: Readonly<Record<string, { stays?: string; ended?: boolean }>> = data.english

/** Words that deny, and the articles that a negating article replaces, by language. */
export const negatorsByLanguage = new Map(
  Object.entries(data.negators).map(([language, negators]) => [
    language,
    { negators: wordSet(negators), drops: wordSet(data.drops[language as keyof typeof data.drops]) },
  ]),
)

/** Pairs of words that exclude each other in languages other than English. */
export const oppositesInOtherLanguages = data.opposites.map((pair) => pair.split(" "))

/** Frequent short words that show the language of a text, by language. */
export const languageMarkers = new Map(
  Object.entries(data.markers).map(([language, words]) => [language, wordSet(words)]),
)
