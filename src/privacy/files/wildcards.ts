import { readByteSet } from "./byte-set.ts"

/** The remaining steps for comparisons. It bounds the time that an ignore list written by others can take. */
export interface Budget {
  steps: number
}

/** Longer patterns are not compiled, and count as a match. */
const longestPattern = 1024
/** The cost of trying a pattern, and of compiling each byte of it. */
const stepsToTry = 3
const stepsToRead = 4

type Token =
  | { kind: "byte"; byte: number }
  /** One byte of the set, except a slash. */
  | { kind: "set"; bytes: Uint8Array }
  /** Any number of bytes; slashes only if `isDeep`. */
  | { kind: "many"; isDeep: boolean }
  /** Matches nothing by itself: the ** and slash that follow are optional. */
  | { kind: "option" }

type Matcher = (text: string, budget: Budget) => boolean

/** Compares paths with a pattern by git's rules, byte by byte. If the budget runs out, the path counts as a match. */
export function matcherFor(pattern: string): Matcher {
  let matcher: Matcher | undefined
  return (text, budget) => {
    budget.steps -= stepsToTry + (matcher === undefined ? pattern.length * stepsToRead : 0)
    if (budget.steps <= 0) return true
    matcher ??= compile(pattern)
    return matcher(text, budget)
  }
}

function compile(pattern: string): Matcher {
  const start = pattern.search(/[*?[\\]/)
  if (start === -1) return (text) => text === pattern
  if (pattern.length > longestPattern) {
    return (_, budget) => {
      budget.steps = 0
      return true
    }
  }
  // Git compares the part before the first wildcard separately, so ** after it counts as the start of a pattern.
  const plain = pattern.slice(0, start)
  const tokens = tokensOf(pattern.slice(start))
  if (tokens === undefined) return () => false
  return (text, budget) => text.startsWith(plain) && runTokens(tokens, text.slice(start), budget)
}

/** Undefined for an invalid pattern, which matches nothing. */
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
      const index = pattern[at] === "\\" ? at + 1 : at
      if (index >= pattern.length) return undefined
      return { tokens: [{ kind: "byte", byte: pattern.charCodeAt(index) }], end: index + 1 }
    }
  }
}

/** Two stars between slashes match any folders; any other run of stars counts as one star. */
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

/** Follows all possible matches at once (an NFA), so the time is bounded by the two lengths multiplied. */
function runTokens(tokens: readonly Token[], text: string, budget: Budget): boolean {
  let here = new States(tokens)
  let next = new States(tokens)
  here.add(0)
  here.skipOptional()
  for (let at = 0; at < text.length && here.first <= here.last; at += 1) {
    budget.steps -= here.last - here.first + 1
    if (budget.steps <= 0) return true
    here.step(text.charCodeAt(at), next)
    next.skipOptional()
    here.clear()
    ;[here, next] = [next, here]
  }
  return here.has(tokens.length)
}

/** The set of active states of the NFA: positions before a token, or at the end of the pattern. */
class States {
  readonly #tokens: readonly Token[]
  readonly #marks: Uint8Array
  first = Number.POSITIVE_INFINITY
  last = -1

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
    this.#marks = new Uint8Array(tokens.length + 1)
  }

  has(state: number): boolean {
    return this.#marks[state] === 1
  }

  add(state: number): void {
    this.#marks[state] = 1
    if (state < this.first) this.first = state
    if (state > this.last) this.last = state
  }

  clear(): void {
    if (this.last >= 0) this.#marks.fill(0, this.first, this.last + 1)
    this.first = Number.POSITIVE_INFINITY
    this.last = -1
  }

  /** Adds the states reached without a byte: stars may match nothing, optional tokens may be skipped. */
  skipOptional(): void {
    for (let state = this.first; state <= this.last; state += 1) {
      const kind = this.#marks[state] === 1 ? this.#tokens[state]?.kind : undefined
      if (kind === "many" || kind === "option") this.add(state + 1)
      if (kind === "option") this.add(state + 3)
    }
  }

  /** Adds to `next` the states reached by a byte. */
  step(byte: number, next: States): void {
    for (let state = this.first; state <= this.last; state += 1) {
      const token = this.#marks[state] === 1 ? this.#tokens[state] : undefined
      if (token?.kind === "many" && (token.isDeep || byte !== slash)) next.add(state)
      else if (token && takes(token, byte)) next.add(state + 1)
    }
  }
}

/** Whether a token for a single byte matches this one. */
function takes(token: Token, byte: number): boolean {
  if (token.kind === "byte") return token.byte === byte
  return token.kind === "set" && byte !== slash && token.bytes[byte] === 1
}
