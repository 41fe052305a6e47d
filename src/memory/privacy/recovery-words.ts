import { wordlist } from "@scure/bip39/wordlists/english.js"
import type { Finding } from "./finding.ts"

const known: ReadonlySet<string> = new Set(wordlist)
/** The least words a wallet's phrase has; so many of the list in a row are never prose. */
const fewest = 12
/** Words of the list have 3 to 8 letters, and 12 of them at least 47 characters with what stands between. */
const step = 20
const isLetter = (code: number) => code >= 97 && code <= 122

/** Finds the words a wallet is restored with: twelve or more of the public list in a row, numbered or not. */
export function findRecoveryWords(text: string): Finding[] {
  const found: Finding[] = []
  for (let at = step; at < text.length; at += step) {
    const word = wordAt(text, at)
    if (word === undefined || !known.has(word.text)) continue
    const first = goBack(text, word)
    const last = goOn(text, word)
    if (first.count + last.count + 1 >= fewest) {
      found.push({ kind: "recovery-words", start: first.place, end: last.place })
    }
    at = Math.max(at, last.place)
  }
  return found
}

interface Word {
  text: string
  start: number
  end: number
}

/** The word of small letters that stands here, if one does. */
function wordAt(text: string, at: number): Word | undefined {
  if (!isLetter(text.charCodeAt(at))) return undefined
  let start = at
  while (start > 0 && at - start < 9 && isLetter(text.charCodeAt(start - 1))) start -= 1
  let end = at + 1
  while (end < text.length && end - at < 9 && isLetter(text.charCodeAt(end))) end += 1
  return { text: text.slice(start, end), start, end }
}

/** What stands between the words: a space, a comma, a line break, a number. */
const between = /[\s,;"'`|*]{0,4}(?:\d{1,2}[.):=]?)?[\s,;"'`|*]{1,4}/y
const longestBetween = 12

function goOn(text: string, from: Word): { count: number; place: number } {
  let count = 0
  let place = from.end
  for (;;) {
    between.lastIndex = place
    if (!between.test(text)) break
    const word = wordAt(text, between.lastIndex)
    if (word === undefined || word.start !== between.lastIndex || !known.has(word.text)) break
    count += 1
    place = word.end
  }
  return { count, place }
}

const gapBefore = /^[\s,;"'`|*]{0,4}(?:\d{1,2}[.):=]?)?[\s,;"'`|*]{1,4}$/

function goBack(text: string, from: Word): { count: number; place: number } {
  let count = 0
  let place = from.start
  for (;;) {
    let end = place
    while (end > 0 && place - end < longestBetween && !isLetter(text.charCodeAt(end - 1))) end -= 1
    const word = end > 0 ? wordAt(text, end - 1) : undefined
    if (word === undefined || word.end !== end || !known.has(word.text)) break
    if (!gapBefore.test(text.slice(end, place))) break
    count += 1
    place = word.start
  }
  return { count, place }
}
