import { englishNegators } from "../words/negators.ts"
import { pastWords } from "../words/word-lists.ts"
import { inActiveVoice } from "./passive-to-active.ts"
import { scan } from "./scan.ts"
import { type Token, toTokens } from "./token.ts"

/** A negation: the position of the token after it, and whether it says that something ended. */
export interface Negation {
  text: string
  at: number
  ended: boolean
}

/** A parsed text: its tokens, its negations, and what it rejects. */
export interface Statement {
  tokens: Token[]
  negations: Negation[]
  /** Alternatives that it rejects or gave up: "instead of npm", "from npm to pnpm". */
  rejected: Token[]
  /** It reports a change: "switched from", "was replaced by". */
  changed: boolean
  past: boolean
  asks: boolean
}

/** Parses an English text. */
export function readStatement(text: string): Statement {
  const pieces = scan(text)
  const all = toTokens(pieces)
  const { kept, rejected, changed } = partRejected(all)
  const { tokens, negations } = inActiveVoice(partNegations(kept))
  const past = !changed && pieces.some((piece) => pastWords.has(piece.lower))
  return { tokens, negations, rejected, changed, past, asks: all.at(-1)?.key === "?" }
}

function partNegations(all: readonly Token[]): { tokens: Token[]; negations: Negation[] } {
  const tokens: Token[] = []
  const negations: Negation[] = []
  for (let at = 0; at < all.length; ) {
    const found = negatorAt(all, at)
    const token = all[at]
    if (found === undefined) {
      if (token !== undefined) tokens.push(token)
      at += 1
      continue
    }
    const { length, negator } = found
    const texts = all.slice(at, at + length).map((part) => part.text)
    negations.push({ text: texts.join(" "), at: tokens.length, ended: negator.ended === true })
    if (negator.stays !== undefined && token !== undefined) {
      tokens.push({ ...token, key: negator.stays, link: negator.stays === "with" })
    }
    at += length
  }
  return { tokens, negations }
}

const negatorStarts = new Set(Object.keys(englishNegators).map((name) => name.split(" ")[0]))

function negatorAt(tokens: readonly Token[], at: number) {
  const first = tokens[at]?.text.toLowerCase() ?? ""
  if (!negatorStarts.has(first) && !/n['’]t$| /.test(first)) return undefined
  for (let length = Math.min(3, tokens.length - at); length >= 1; length -= 1) {
    const words = tokens.slice(at, at + length)
    const name = words.map((token) => token.text.toLowerCase().replace(/.*n['’]t$/, "not")).join(" ")
    const negator = Object.hasOwn(englishNegators, name) ? englishNegators[name] : undefined
    // "is used to cache" states a purpose, "used to cache" an end.
    const isPurpose = name === "used to" && words[0]?.afterBe === true
    if (negator !== undefined && !isPurpose && words.every((token) => token.form === "word")) {
      return { length, negator }
    }
  }
  return undefined
}

const changingVerbs = new Set(
  "switch migrate move change convert upgrade downgrade go transition rewrite port replatform".split(" "),
)
const preferring = new Set(["prefer", "favor", "favour", "choose", "pick", "like", "rank"])

/** Separates what a text rejects ("rather than tabs") or gave up ("from npm to"). */
function partRejected(all: readonly Token[]): Parted & { changed: boolean } {
  const change = changeIn(all) ?? replacementIn(all)
  if (change !== undefined) return { ...change, changed: true }
  return { ...(contrastIn(all) ?? { kept: [...all], rejected: [] }), changed: false }
}

interface Parted {
  kept: Token[]
  rejected: Token[]
}

/** "switched the tests from Jest to Vitest": uses Vitest, no longer Jest. */
function changeIn(all: readonly Token[]): Parted | undefined {
  const verb = all.findIndex((token) => changingVerbs.has(token.key))
  if (verb === -1) return undefined
  const from = all.findIndex((token, at) => at > verb && token.key === "from")
  const to = all.findIndex((token, at) => at > from && token.key === "to")
  if (from === -1 || to === -1 || to - from > 5) return undefined
  const uses = all[verb]
  const kept = [
    ...all.slice(0, verb),
    ...(uses ? [{ ...uses, key: "use", isRewritten: true }] : []),
    ...all.slice(verb + 1, from),
  ]
  return { kept: [...kept, ...all.slice(to + 1)], rejected: all.slice(from + 1, to) }
}

/** "replaced X with Y", "X was replaced by Y". */
function replacementIn(all: readonly Token[]): Parted | undefined {
  const verb = all.findIndex((token) => token.key === "replace")
  const uses = all[verb]
  if (uses === undefined) return undefined
  const by = all.findIndex((token, at) => at > verb && (token.key === "with" || token.key === "by"))
  const use = { ...uses, key: "use", isRewritten: true }
  if (uses.afterBe) {
    const end = by === -1 ? verb + 1 : by + 1
    return { kept: [use, ...all.slice(end)], rejected: all.slice(0, verb) }
  }
  if (by === -1) return undefined
  return { kept: [...all.slice(0, verb), use, ...all.slice(by + 1)], rejected: all.slice(verb + 1, by) }
}

/** "X instead of Y", "X rather than Y", "X, not Y", "prefers X over Y", "likes X more than Y". */
function contrastIn(all: readonly Token[]): Parted | undefined {
  const prefers = all.some((token) => preferring.has(token.key))
  for (let at = 1; at < all.length - 1; at += 1) {
    const length = contrastLength(all, at, prefers)
    if (length === 0) continue
    const rest = all.slice(at + length)
    const stop = rest.findIndex((token, index) => index > 0 && (token.link || token.paused))
    const end = stop === -1 ? rest.length : stop
    if (end === 0 || end > 4) continue
    return { kept: [...all.slice(0, at), ...rest.slice(end)], rejected: rest.slice(0, end) }
  }
  return undefined
}

function contrastLength(all: readonly Token[], at: number, prefers: boolean): number {
  const [key, next] = [all[at]?.key, all[at + 1]?.key]
  if (key === "instead") return 1
  if (key === "rather" && next === "than") return 2
  if (isAndNot(all, at)) return 2
  if (key === "not" && all[at]?.paused === true) return 1
  if (!prefers || at <= 1) return 0
  if (key === "better" && next === "than") return 2
  return key === "over" || key === "to" || key === "more than" ? 1 : 0
}

/** "pnpm and not npm"; in "is not open and is not public" the second negation has a verb of its own. */
function isAndNot(all: readonly Token[], at: number): boolean {
  const [joint, denial, denied] = all.slice(at, at + 3)
  if ((joint?.key !== "and" && joint?.key !== "but") || denial?.key !== "not") return false
  return denied?.afterBe !== true && !all.slice(0, at).some((token) => token.key === "not")
}
