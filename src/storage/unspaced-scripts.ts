/**
 * Words in scripts without spaces, and in Korean, whose words carry particles. Every pair of adjacent characters counts
 * as a word (数据库: 数据, 据库). A character is a letter with its marks.
 */

/** Runs of one such script. In Japanese a change of script usually ends a word. */
const spacelessRuns = [
  "\\p{Script=Han}",
  "\\p{Script=Hiragana}",
  "[\\p{Script=Katakana}ー]",
  "\\p{Script=Hangul}",
  "\\p{Script=Thai}",
  "\\p{Script=Lao}",
  "\\p{Script=Khmer}",
  "\\p{Script=Myanmar}",
].map((sign) => `(?:${sign}\\p{M}*)+`)

const spaceless = new RegExp(spacelessRuns.join("|"), "gu")
const isHan = /^\p{Script=Han}/u
const isHiragana = /^\p{Script=Hiragana}/u

/** Whether a text has non-Latin letters. Such a text is indexed by the words of `tokenize`. */
export function hasNonLatinLetters(text: string): boolean {
  return /(?!\p{Script=Latin})\p{L}/u.test(text)
}

/** Whether the databases' English tokenizers handle a lower-case word. */
export function isLatinWord(word: string): boolean {
  return /^[\p{Script=Latin}0-9]+$/u.test(word)
}

/** Whether a word contains an unspaced script. */
export function hasUnspacedScript(word: string): boolean {
  return word.search(spaceless) >= 0
}

/** Splits a run of letters and digits into words: pairs for unspaced scripts, the rest unchanged. */
export function segmentRun(run: string): string[] {
  const words: string[] = []
  let end = 0
  for (const { 0: part, index } of run.matchAll(spaceless)) {
    if (index > end) words.push(run.slice(end, index))
    words.push(...characterPairs(part))
    end = index + part.length
  }
  if (end < run.length) words.push(run.slice(end))
  return words
}

/** All adjacent pairs, or a single character unless it is Hiragana (a particle or an ending). */
function characterPairs(part: string): string[] {
  const signs = part.match(/\P{M}\p{M}*/gu) ?? [part]
  if (signs.length === 1) return isHiragana.test(part) ? [] : signs
  return signs.slice(1).map((sign, index) => `${signs[index]}${sign}`)
}

/** The characters of a Chinese pair, which may be words by themselves. */
export function singleHanCharacters(word: string): string[] {
  const signs = isHan.test(word) ? [...word] : []
  return signs.length === 2 ? signs : []
}
