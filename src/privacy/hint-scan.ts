import { randomnessBits } from "./values/randomness.ts"

/** Returns, in one pass, the groups that have a hint in the text. Case is ignored. */
export type HintScan<Group extends string> = (text: string) => ReadonlySet<Group>

/** Character classes: letters of either case are 1 to 26, the signs that hints use have their own, the rest is 0. */
const classes = new Uint8Array(128)
for (let letter = 0; letter < 26; letter += 1) {
  classes[97 + letter] = letter + 1
  classes[65 + letter] = letter + 1
}
for (let digit = 48; digit < 58; digit += 1) classes[digit] = 27
const signClasses = [
  [" ", 28],
  ["\t", 28],
  ["-", 29],
  ["=", 30],
  [":", 31],
] as const
for (const [sign, number] of signClasses) classes[sign.charCodeAt(0)] = number

function classOf(code: number): number {
  return code < 128 ? (classes[code] ?? 0) : 0
}

interface Hint {
  /** The class of each of its characters. */
  signs: readonly number[]
  /** How many of them precede the three that are searched for. */
  before: number
  mask: number
}

/**
 * Prepares the scan. It searches for the rarest three characters in a row of each hint, then compares the rest. A hint
 * has at least three characters, or is one of `= : -`. The group `nonLatin` is returned for any text with a letter
 * outside of A to Z.
 */
export function createHintScan<Group extends string>(
  hints: Readonly<Record<Group, readonly string[]>>,
  nonLatin: NoInfer<Group>,
): HintScan<Group> {
  const groups = Object.keys(hints) as Group[]
  const table = createTable()
  groups.forEach((group, bit) => {
    for (const hint of hints[group]) addHint(table, hint, 1 << bit)
  })
  const nonLatinMask = 1 << groups.indexOf(nonLatin)
  const sets = new Map<number, ReadonlySet<Group>>()
  return (text) => {
    const mask = maskOf(table, text, nonLatinMask)
    const named = sets.get(mask) ?? new Set(groups.filter((_, bit) => (mask & (1 << bit)) !== 0))
    sets.set(mask, named)
    return named
  }
}

/** All hints, keyed by the three characters that are searched for. */
interface Table {
  hints: Map<number, Hint[]>
  /** 1 for each key that has hints. */
  isKnown: Uint8Array
  /** The mask of each single-character hint. */
  alone: Uint32Array
}

function createTable(): Table {
  return { hints: new Map(), isKnown: new Uint8Array(32 * 32 * 32), alone: new Uint32Array(32) }
}

function addHint({ hints, isKnown, alone }: Table, text: string, mask: number): void {
  const signs = Array.from(text, (sign) => classOf(sign.charCodeAt(0)))
  const [first = 0] = signs
  if (signs.length === 1) {
    alone[first] = (alone[first] ?? 0) | mask
    return
  }
  const before = rarestPart(text)
  const part = signs.slice(before, before + 3).reduce((sum, sign) => (sum << 5) | sign, 0)
  hints.set(part, [...(hints.get(part) ?? []), { signs, before, mask }])
  isKnown[part] = 1
}

function maskOf({ hints, isKnown, alone }: Table, text: string, nonLatinMask: number): number {
  let mask = 0
  let part = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    const now = classOf(code)
    part = ((part << 5) | now) & 0x7fff
    mask |= alone[now] ?? 0
    if (code > 191) mask |= nonLatinMask
    if (isKnown[part] === 1) mask |= maskAt(text, index - 2, hints.get(part) ?? [], mask)
  }
  return mask
}

/** The masks of the hints at this position, except those that were already found. */
function maskAt(text: string, at: number, hints: readonly Hint[], found: number): number {
  let mask = 0
  for (const hint of hints) {
    if ((found & hint.mask) === 0 && isAt(text, at - hint.before, hint.signs)) mask |= hint.mask
  }
  return mask
}

function isAt(text: string, at: number, signs: readonly number[]): boolean {
  for (let step = 0; step < signs.length; step += 1) {
    // Positions before the start of the text count as class 0.
    const sign = at + step < 0 ? 0 : classOf(text.charCodeAt(at + step))
    if (sign !== signs[step]) return false
  }
  return true
}

function rarestPart(hint: string): number {
  let rarest = 0
  for (let at = 1; at + 3 <= hint.length; at += 1) {
    if (rarity(hint.slice(at, at + 3)) > rarity(hint.slice(rarest, rarest + 3))) rarest = at
  }
  return rarest
}

/** Signs are rarer than letters, except the space. */
function rarity(part: string): number {
  return randomnessBits(part) + (part.match(/[^A-Za-z \t]/g)?.length ?? 0) * 4
}
