import type { Finding } from "../finding.ts"
import { isOrdinary, isPlaceholder, looksRandom } from "./placeholders.ts"

interface Span {
  start: number
  end: number
}

const randomRuns = /[A-Za-z0-9+/_-]{20,}={0,2}/g
const isBase64Data = /(?:base64,|sha\d{3}-|[0-9a-f]{12,})$/i
/** The beginning of an OpenSSH public key. */
const publicKey = /^AAAA[BCE]3NzaC1|^AAAAE2Vj/
const barrier = /[\n\uFFFC]/
/** How far a keyword reaches on its line, in characters. */
const reachAfter = 80
const reachBefore = 40

/** Finds random values near secret keywords, which are sorted by position. */
export function findRandomNear(text: string, words: readonly Span[]): Finding[] {
  const found: Finding[] = []
  let next = 0
  for (const { 0: run, index: start } of text.matchAll(randomRuns)) {
    const end = start + run.length
    while (next < words.length && (words[next]?.start ?? 0) < start) next += 1
    const isNear = reaches(text, words[next - 1], start) || isReachedBack(text, end, words[next])
    if (!isNear || !isRandomRun(run) || isBase64Data.test(text.slice(Math.max(0, start - 16), start)))
      continue
    found.push({ kind: "high-entropy", start, end })
  }
  return found
}

function reaches(text: string, word: Span | undefined, start: number): boolean {
  if (word === undefined || start - word.end > reachAfter) return false
  return !barrier.test(text.slice(word.end, start))
}

function isReachedBack(text: string, end: number, word: Span | undefined): boolean {
  if (word === undefined || word.start - end > reachBefore) return false
  return !barrier.test(text.slice(end, word.start))
}

const alphabet = /abcdefgh|12345678|qwertyui/i

/** From this length on, a random value may lack digits. */
const longWithoutDigit = 24

function isRandomRun(run: string): boolean {
  if (alphabet.test(run) || publicKey.test(run)) return false
  const hasAll = /[a-z]/.test(run) && /[A-Z]/.test(run) && (/\d/.test(run) || run.length >= longWithoutDigit)
  return hasAll && looksRandom(run) && !isOrdinary(run) && !isPlaceholder(run) && !isHashedName(run)
}

/** A file or symbol with a hash in its name, which consists mostly of words. */
function isHashedName(run: string): boolean {
  const words = run.match(/[a-z]{4,}/g)?.join("").length ?? 0
  return words > run.length / 2
}
