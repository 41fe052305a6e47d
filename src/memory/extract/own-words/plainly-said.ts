import { ownWords } from "./own-words.ts"
import { isSteering } from "./steering.ts"

/** Whether a line, such as the first words of a prompt, is plainly what a person said to their agent about their work. */
export function isPlainlySaid(line: string): boolean {
  const text = line.replace(/…$/, "").trim()
  return text !== "" && ownWords(text) === text && !isSteering(text)
}
