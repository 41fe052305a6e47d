import type { Finding } from "../../finding.ts"
import { longRuns, type Run } from "../../values/long-runs.ts"
import { isOrdinary, looksRandom } from "../../values/placeholders.ts"
import { type TokenFormat, tokenFormats } from "./token-formats.ts"

/** Finds tokens by their vendors' formats, including a rest after a line break or a quote. */
export function findTokensIn(text: string, runs: readonly Run[]): Finding[] {
  const found = runs.flatMap(({ run, index }) => tokensIn(run, index))
  return found.map((finding) => ({ ...finding, end: endOverBreaks(text, finding.end) }))
}

/** Formats keyed by the first three characters of their hint. Formats with shorter hints are tried one by one. */
const byBeginning = Map.groupBy(
  tokenFormats.filter(({ hint }) => hint.length >= 3),
  ({ hint }) => beginningAt(hint, 0),
)
const short = tokenFormats.filter(({ hint }) => hint.length < 3)
const isBeginning = new Uint8Array(1 << 15)
for (const beginning of byBeginning.keys()) isBeginning[beginning] = 1

function beginningAt(text: string, at: number): number {
  const [a, b, c] = [text.charCodeAt(at) & 31, text.charCodeAt(at + 1) & 31, text.charCodeAt(at + 2) & 31]
  return (a << 10) | (b << 5) | c
}

/** The formats whose hints are in this run. */
function formatsFor(run: string): Set<TokenFormat> {
  const formats = new Set(short.filter(({ hint }) => run.includes(hint)))
  let part = 0
  for (let at = 0; at < run.length; at += 1) {
    part = ((part << 5) | (run.charCodeAt(at) & 31)) & 0x7fff
    if (isBeginning[part] !== 1) continue
    for (const format of byBeginning.get(part) ?? [])
      if (run.startsWith(format.hint, at - 2)) formats.add(format)
  }
  return formats
}

function tokensIn(run: string, offset: number): Finding[] {
  const found: Finding[] = []
  for (const { kind, pattern } of formatsFor(run)) {
    for (const { 0: token, index } of run.matchAll(pattern)) {
      if (isExample(token)) continue
      found.push({ kind, start: offset + index, end: offset + index + token.length })
    }
  }
  return found
}

/** Tokens in documentation: `ghp_xxxxxxxx`, `sk-your-key-here`, AWS's EXAMPLE. */
function isExample(token: string): boolean {
  const body = token.replace(/^[A-Za-z0-9]{1,10}[-_.]/, "")
  return /example|placeholder|your[-_]|dummy|x{5,}/i.test(token) || new Set(body).size < 5
}

/** A line break inside of a token: plain, continued by a backslash, or between two quoted parts. */
const lineBreak =
  /(?:["'`][ \t]*[+\\.]?[ \t]*\r?\n[ \t]*[+.]?[ \t]*["'`]|\\?\r?\n[ \t>|]{0,20})(?=[A-Za-z0-9_+/=-])/y
const restOfToken = /[A-Za-z0-9_+/=.-]+/y

/** The end of a wrapped token, including the parts on the following lines. */
function endOverBreaks(text: string, end: number): number {
  for (let at = end; ; ) {
    lineBreak.lastIndex = at
    const broken = lineBreak.exec(text)
    if (broken === null) return at
    restOfToken.lastIndex = at + broken[0].length
    const rest = restOfToken.exec(text)
    if (rest === null || !(/^["'`]/.test(broken[0]) || isRest(rest[0]))) return at
    at = restOfToken.lastIndex
  }
}

/** Whether the text on the next line continues a token and is not a word. */
function isRest(rest: string): boolean {
  if (looksRandom(rest)) return true
  const isMade = /[A-Za-z].*\d|\d.*[A-Za-z]|[a-z].*[A-Z]/.test(rest)
  return rest.length >= 6 && isMade && !isOrdinary(rest)
}

/** Line breaks and quotes inside of a token. Only vendors' formats are searched for across them, never prose. */
const wraps =
  /(?<=[A-Za-z0-9_+/=-])(?:["'`][ \t]*[+\\.]?[ \t]*\r?\n[ \t]*[+.]?[ \t]*["'`]|\\?\r?\n[ \t>|]{0,20}|["'`][ \t]{0,3}[+.][ \t]{0,3}["'`])(?=[A-Za-z0-9_+/=-])/g

/** Finds tokens that are only recognised after the line breaks in them are removed. */
export function findWrappedTokens(text: string): Finding[] {
  const joined = joinLines(text)
  if (joined === undefined) return []
  const found: Finding[] = []
  for (const { run, index } of longRuns(joined.text)) {
    for (const finding of tokensIn(run, index)) {
      const start = joined.offsetOf(finding.start)
      const end = joined.offsetOf(finding.end - 1) + 1
      if (end - start > finding.end - finding.start) found.push({ kind: finding.kind, start, end })
    }
  }
  return found
}

/** The text without the breaks, and the original position of each character; undefined if there are none. */
function joinLines(text: string): { text: string; offsetOf(index: number): number } | undefined {
  const cuts: { at: number; removed: number }[] = []
  let joined = ""
  let from = 0
  let removed = 0
  for (const { 0: wrap, index } of text.matchAll(wraps)) {
    joined += text.slice(from, index)
    from = index + wrap.length
    removed += wrap.length
    cuts.push({ at: joined.length, removed })
  }
  if (cuts.length === 0) return undefined
  joined += text.slice(from)
  return { text: joined, offsetOf: (index) => index + removedBefore(cuts, index) }
}

function removedBefore(cuts: readonly { at: number; removed: number }[], index: number): number {
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cuts[middle]?.at ?? 0) <= index) low = middle + 1
    else high = middle
  }
  return cuts[low - 1]?.removed ?? 0
}
