import type { Token } from "../read/token.ts"

/** Endings that change the kind of a word without negating it. */
const endings = new Set("y ly ily er r or ist en n al ic ful ness ment ing ed d side man men".split(" "))

const shortestStem = 4

/** Whether two words have one stem: sand and sandy, bike and biker, stage and onstage. */
export function isOfOneStem(a: Token, b: Token): boolean {
  if (a.form !== "word" || b.form !== "word" || a.link || b.link) return false
  const [short, long] = a.key.length <= b.key.length ? [a.key, b.key] : [b.key, a.key]
  if (short.length < shortestStem || long.length === short.length || long.includes(" ")) return false
  if (long.endsWith(short)) return !denying.test(long.slice(0, -short.length))
  return stemsOf(short).some((stem) => long.startsWith(stem) && endings.has(long.slice(stem.length)))
}

const denying = /^(?:un|non|anti|in|im|il|ir|dis|mis|de|over|under|pre|post|up|down|out)$/

/** The word, and its spelling before an ending: muddy of mud, shiny of shine. */
function stemsOf(word: string): string[] {
  return [word, word.endsWith("e") ? word.slice(0, -1) : word + (word.at(-1) ?? "")]
}
