import { chanceBits } from "./values/randomness.ts"

/** Asks in one pass which groups of texts a text holds any of; capitals and small letters are the same. */
export type FirstLook<Group extends string> = (text: string) => ReadonlySet<Group>

/** Letters of either case are 1 to 26; of the rest only what hints need is told apart, 0 stands for anything else. */
const classes = new Uint8Array(128)
for (let letter = 0; letter < 26; letter += 1) {
  classes[97 + letter] = letter + 1
  classes[65 + letter] = letter + 1
}
for (let digit = 48; digit < 58; digit += 1) classes[digit] = 27
const told = [
  [" ", 28],
  ["\t", 28],
  ["-", 29],
  ["=", 30],
  [":", 31],
] as const
for (const [sign, number] of told) classes[sign.charCodeAt(0)] = number

function classOf(code: number): number {
  return code < 128 ? (classes[code] ?? 0) : 0
}

interface Hint {
  /** The class of each of its signs. */
  signs: readonly number[]
  /** How many of them stand before the three that are looked for. */
  before: number
  mask: number
}

/**
 * Makes the look. Of each hint the three signs in a row are looked for that words have least, then the rest of it. A
 * hint has three signs or more, or is one of `= : -` alone. The group in `foreign` is named whenever there is a letter
 * that is not of the plain alphabet.
 */
export function createFirstLook<Group extends string>(
  hints: Readonly<Record<Group, readonly string[]>>,
  foreign: NoInfer<Group>,
): FirstLook<Group> {
  const groups = Object.keys(hints) as Group[]
  const table = createTable()
  groups.forEach((group, bit) => {
    for (const hint of hints[group]) addHint(table, hint, 1 << bit)
  })
  const foreignMask = 1 << groups.indexOf(foreign)
  const sets = new Map<number, ReadonlySet<Group>>()
  return (text) => {
    const mask = maskOf(table, text, foreignMask)
    const named = sets.get(mask) ?? new Set(groups.filter((_, bit) => (mask & (1 << bit)) !== 0))
    sets.set(mask, named)
    return named
  }
}

/** All hints, each under the number of the three signs that are looked for. */
interface Table {
  hints: Map<number, Hint[]>
  /** Whether there is a hint under a number. */
  isKnown: Uint8Array
  /** The mask of each sign that is a hint alone. */
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

/** One pass over the text: the masks of all hints in it. */
function maskOf({ hints, isKnown, alone }: Table, text: string, foreignMask: number): number {
  let mask = 0
  let part = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    const now = classOf(code)
    part = ((part << 5) | now) & 0x7fff
    mask |= alone[now] ?? 0
    if (code > 191) mask |= foreignMask
    if (isKnown[part] === 1) mask |= maskAt(text, index - 2, hints.get(part) ?? [], mask)
  }
  return mask
}

/** The masks of those hints that stand here and are not known to be in the text. */
function maskAt(text: string, at: number, hints: readonly Hint[], found: number): number {
  let mask = 0
  for (const hint of hints) {
    if ((found & hint.mask) === 0 && stands(text, at - hint.before, hint.signs)) mask |= hint.mask
  }
  return mask
}

function stands(text: string, at: number, signs: readonly number[]): boolean {
  for (let step = 0; step < signs.length; step += 1) {
    // Before its beginning a text has anything.
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

/** Signs beside letters are rarer than letters, except the space. */
function rarity(part: string): number {
  return chanceBits(part) + (part.match(/[^A-Za-z \t]/g)?.length ?? 0) * 4
}
