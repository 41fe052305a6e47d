import { sentencesOf } from "./read/sentences.ts"

/** The sentences of a message that could each teach something by itself, questions with their mark. */
export function unitsOf(text: string): string[] {
  return sentencesOf(text)
    .map(({ text: words, end }) => (end === "?" ? `${words}?` : words))
    .filter((words) => /\p{L}/u.test(words))
}
