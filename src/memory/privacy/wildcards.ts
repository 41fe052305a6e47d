import { readByteSet } from "./byte-set.ts"

/** What comparing may cost: a list that somebody else wrote must not be able to keep us busy. */
export interface Budget {
  steps: number
}

/** No path is so long; with wildcards in it a line could still match one. */
const longestPattern = 1024

type Token =
  | { kind: "byte"; byte: number }
  /** One byte that is no slash and in the set. */
  | { kind: "set"; bytes: Uint8Array }
  /** Any number of bytes that are no slash, or any bytes at all. */
  | { kind: "many"; isDeep: boolean }
  /** Takes nothing: what follows, ** and its slash, may be left out. */
  | { kind: "option" }

type Matcher = (text: string, budget: Budget) => boolean

/** Compares texts with a pattern as git does; where that takes more than the budget it says yes. Both are bytes. */
export function matcherFor(pattern: string): Matcher {
  const start = pattern.search(/[*?[\\]/)
  if (start === -1) return (text) => text === pattern
  if (pattern.length > longestPattern) {
    return (_, budget) => {
      budget.steps = 0
      return true
    }
  }
  // Git compares what stands before the first wildcard by itself, so that ** there begins a pattern.
  const plain = pattern.slice(0, start)
  const tokens = tokensOf(pattern.slice(start))
  if (tokens === undefined) return () => false
  return (text, budget) => text.startsWith(plain) && runTokens(tokens, text.slice(start), budget)
}

/** Undefined for a pattern that is broken: it matches nothing. */
function tokensOf(pattern: string): Token[] | undefined {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; ) {
    const read = readTokens(pattern, at)
    if (read === undefined) return undefined
    tokens.push(...read.tokens)
    at = read.end
  }
  return tokens
}

function readTokens(pattern: string, at: number): { tokens: Token[]; end: number } | undefined {
  switch (pattern[at]) {
    case "*":
      return readStars(pattern, at)
    case "?":
      return { tokens: [{ kind: "set", bytes: new Uint8Array(256).fill(1) }], end: at + 1 }
    case "[": {
      const set = readByteSet(pattern, at)
      return set && { tokens: [{ kind: "set", bytes: set.bytes }], end: set.end }
    }
    default: {
      const place = pattern[at] === "\\" ? at + 1 : at
      if (place >= pattern.length) return undefined
      return { tokens: [{ kind: "byte", byte: pattern.charCodeAt(place) }], end: place + 1 }
    }
  }
}

/** Two stars between slashes go through folders; else any number of them is one. */
function readStars(pattern: string, at: number): { tokens: Token[]; end: number } {
  let end = at
  while (pattern[end] === "*") end += 1
  const isBegun = at === 0 || pattern[at - 1] === "/"
  const hasSlash = pattern[end] === "/"
  const isEnded = hasSlash || end === pattern.length || pattern.startsWith("\\/", end)
  const isDeep = end - at > 1 && isBegun && isEnded
  const stars: Token = { kind: "many", isDeep }
  return { tokens: isDeep && hasSlash ? [{ kind: "option" }, stars] : [stars], end }
}

const slash = 47

/** All ways through the pattern at once: time grows with its length times the text's, whatever stands in it. */
function runTokens(tokens: readonly Token[], text: string, budget: Budget): boolean {
  let places = new Uint8Array(tokens.length + 1)
  places[0] = 1
  leaveOut(tokens, places)
  for (let at = 0; at < text.length; at += 1) {
    budget.steps -= tokens.length
    if (budget.steps <= 0) return true
    const next = new Uint8Array(tokens.length + 1)
    let isAlive = false
    for (const [index, token] of tokens.entries()) {
      if (places[index] === 0) continue
      const to = stepOver(token, text.charCodeAt(at), index)
      if (to === undefined) continue
      next[to] = 1
      isAlive = true
    }
    if (!isAlive) return false
    leaveOut(tokens, next)
    places = next
  }
  return places[tokens.length] === 1
}

/** Where one goes on after this byte; undefined where the token does not take it. */
function stepOver(token: Token, byte: number, index: number): number | undefined {
  switch (token.kind) {
    case "byte":
      return token.byte === byte ? index + 1 : undefined
    case "set":
      return byte !== slash && token.bytes[byte] === 1 ? index + 1 : undefined
    case "many":
      return token.isDeep || byte !== slash ? index : undefined
    case "option":
      return undefined
  }
}

/** Stars may stand for nothing, and what is optional may be left out. */
function leaveOut(tokens: readonly Token[], places: Uint8Array): void {
  for (const [index, { kind }] of tokens.entries()) {
    if (places[index] === 0) continue
    if (kind === "many" || kind === "option") places[index + 1] = 1
    if (kind === "option") places[index + 3] = 1
  }
}
