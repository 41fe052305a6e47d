import { wordlist } from "@scure/bip39/wordlists/english.js"
import type { Finding } from "../../finding.ts"

const known: ReadonlySet<string> = new Set(wordlist)
/** The minimum number of words of a wallet's phrase; prose never has that many of the list in a row. */
const fewest = 12
/** Twelve words have at least 47 characters with separators, so testing every 38th character hits every phrase. */
const step = 38
const isLetter = (code: number) => code >= 97 && code <= 122

/** The first three letters of all words of the list, for a fast test. */
const beginnings = new Uint8Array(26 * 26 * 26)
for (const word of wordlist) beginnings[beginningOf(word, 0)] = 1

function beginningOf(text: string, at: number): number {
  const [a, b, c] = [text.charCodeAt(at) - 97, text.charCodeAt(at + 1) - 97, text.charCodeAt(at + 2) - 97]
  return (a * 26 + b) * 26 + c
}

/** Finds recovery phrases of wallets: twelve or more words of the BIP 39 list in a row, numbered or not. */
export function findRecoveryWords(text: string): Finding[] {
  const found: Finding[] = []
  for (let at = step; at < text.length; at += step) {
    let offset = at
    while (offset < at + 8 && !isLetter(text.charCodeAt(offset))) offset += 1
    const word = wordAt(text, offset)
    if (word === undefined || beginnings[beginningOf(text, word.start)] !== 1 || !known.has(word.text))
      continue
    const first = goBack(text, word)
    const last = goOn(text, word)
    if (first.count + last.count + 1 >= fewest) {
      found.push({ kind: "recovery-words", start: first.offset, end: last.offset })
    }
    at = Math.max(at, last.offset)
  }
  return found
}

interface Word {
  text: string
  start: number
  end: number
}

/** The lower-case word at this position, if there is one. */
function wordAt(text: string, at: number): Word | undefined {
  if (!isLetter(text.charCodeAt(at))) return undefined
  let start = at
  while (start > 0 && at - start < 9 && isLetter(text.charCodeAt(start - 1))) start -= 1
  let end = at + 1
  while (end < text.length && end - at < 9 && isLetter(text.charCodeAt(end))) end += 1
  return { text: text.slice(start, end), start, end }
}

/** Separators between the words: a space, a comma, a dash, a line break, a number. */
const between = /[\s,;"'`|*_./>+-]{0,4}(?:\d{1,2}[.):=]?)?[\s,;"'`|*_./>+-]{1,4}/y
const longestBetween = 12

function goOn(text: string, from: Word): { count: number; offset: number } {
  let count = 0
  let offset = from.end
  for (;;) {
    between.lastIndex = offset
    if (!between.test(text)) break
    const word = wordAt(text, between.lastIndex)
    if (word === undefined || word.start !== between.lastIndex || !known.has(word.text)) break
    count += 1
    offset = word.end
  }
  return { count, offset }
}

const gapBefore = /^[\s,;"'`|*_./>+-]{0,4}(?:\d{1,2}[.):=]?)?[\s,;"'`|*_./>+-]{1,4}$/

function goBack(text: string, from: Word): { count: number; offset: number } {
  let count = 0
  let offset = from.start
  for (;;) {
    let end = offset
    while (end > 0 && offset - end < longestBetween && !isLetter(text.charCodeAt(end - 1))) end -= 1
    const word = end > 0 ? wordAt(text, end - 1) : undefined
    if (word === undefined || word.end !== end || !known.has(word.text)) break
    if (!gapBefore.test(text.slice(end, offset))) break
    count += 1
    offset = word.start
  }
  return { count, offset }
}
