import { chanceBits } from "./chance-bits.ts"

/** Asks whether a text holds any of some texts, for many groups of them in one pass; may say yes wrongly, never no. */
export type FirstLook<Group extends string> = (text: string) => ReadonlySet<Group>

/** Letters of either case are 1 to 26, and the rest is told apart as far as hints need it. */
const classes = new Uint8Array(128)
for (let letter = 0; letter < 26; letter += 1) {
  classes[97 + letter] = letter + 1
  classes[65 + letter] = letter + 1
}
for (let digit = 48; digit < 58; digit += 1) classes[digit] = 27
for (const [sign, number] of [[" ", 28], ["\t", 28], ["-", 29], ["=", 30], [":", 31]] as const) {
  classes[sign.charCodeAt(0)] = number
}

function classOf(code: number): number {
  return code < 128 ? (classes[code] ?? 0) : 0
}

/**
 * Makes the look. Of each hint the three signs in a row are looked for that words have least; a hint has three signs or
 * more, or is one of `= : -` alone. Groups in `foreign` are asked for whenever there is a letter that is not Latin.
 */
export function createFirstLook<Group extends string>(
  hints: Readonly<Record<Group, readonly string[]>>,
  foreign: readonly NoInfer<Group>[],
): FirstLook<Group> {
  const groups = Object.keys(hints) as Group[]
  const table = new Uint16Array(32 * 32 * 32)
  const signs = new Uint16Array(32)
  groups.forEach((group, bit) => {
    for (const hint of hints[group]) {
      if (hint.length === 1) {
        signs[classOf(hint.charCodeAt(0))] = (signs[classOf(hint.charCodeAt(0))] ?? 0) | (1 << bit)
        continue
      }
      const at = rarestPart(hint)
      table[partAt(hint, at)] = (table[partAt(hint, at)] ?? 0) | (1 << bit)
    }
  })
  const foreignMask = groups.reduce((mask, group, bit) => (foreign.includes(group) ? mask | (1 << bit) : mask), 0)
  const known = new Map<number, ReadonlySet<Group>>()
  return (text) => {
    let mask = 0
    let part = 0
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      const now = code < 128 ? (classes[code] ?? 0) : 0
      part = ((part << 5) | now) & 0x7fff
      mask |= (table[part] ?? 0) | (signs[now] ?? 0)
      if (code > 191) mask |= foreignMask
    }
    const asked = known.get(mask) ?? new Set(groups.filter((_, bit) => (mask & (1 << bit)) !== 0))
    known.set(mask, asked)
    return asked
  }
}

function partAt(hint: string, at: number): number {
  return [0, 1, 2].reduce((part, step) => (part << 5) | classOf(hint.charCodeAt(at + step)), 0)
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
