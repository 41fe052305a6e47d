/**
 * Words in scripts that put no space between them, and in Korean, whose words carry particles: every two signs beside
 * each other count as a word (数据库: 数据, 据库), so that a word is found wherever it stands. A sign is a letter with
 * the marks on it.
 */

/** Runs of one such script; where Japanese changes its script, a word mostly ends. */
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

/** Whether a text has letters that are not Latin: then its words are indexed as `wordsIn` tells them. */
export function hasOtherLetters(text: string): boolean {
  return /(?!\p{Script=Latin})\p{L}/u.test(text)
}

/** Whether a word, in lower case, can be given to the databases' own English as it is. */
export function isLatinWord(word: string): boolean {
  return /^[\p{Script=Latin}0-9]+$/u.test(word)
}

/** Whether a word is part of a run without spaces. */
export function isSpaceless(word: string): boolean {
  return word.search(spaceless) >= 0
}

/** The words of a run of letters and digits: itself, or those of its parts that have no spaces. */
export function wordsInRun(run: string): string[] {
  const words: string[] = []
  let end = 0
  for (const { 0: part, index } of run.matchAll(spaceless)) {
    if (index > end) words.push(run.slice(end, index))
    words.push(...pairsIn(part))
    end = index + part.length
  }
  if (end < run.length) words.push(run.slice(end))
  return words
}

/** Every two signs; one alone counts, but for a lone Hiragana sign, which is a particle or an ending. */
function pairsIn(part: string): string[] {
  const signs = part.match(/\P{M}\p{M}*/gu) ?? [part]
  if (signs.length === 1) return isHiragana.test(part) ? [] : signs
  return signs.slice(1).map((sign, index) => `${signs[index]}${sign}`)
}

/** The single signs of a pair that may be words by themselves: Chinese ones. */
export function singleSigns(word: string): string[] {
  const signs = isHan.test(word) ? [...word] : []
  return signs.length === 2 ? signs : []
}
