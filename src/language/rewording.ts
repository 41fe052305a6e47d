import { wordsIn } from "../storage/search.ts"
import { relate } from "./compare/relate.ts"
import { exactThings } from "./exact-things.ts"
import { differInLetters } from "./read/letter-case.ts"
import { lexicon } from "./read/lexicon.ts"
import { unitOf } from "./read/quantity.ts"
import { termOf } from "./terms.ts"
import { emptyWords, linkWords, narrowingWords } from "./words/function-words.ts"
import { englishNegators } from "./words/negators.ts"

/** Whether one text says no more and no less than another: the one home of that question. */

/** Longer texts are no single statement. */
const longest = 4000

/**
 * Why a text is no other wording of an old one, in a few words; undefined where it is. Every telling word of the old text
 * stays, and none comes that neither it nor its source has. Rather a good wording is refused than a wrong one taken.
 */
export function rewordingProblem(old: string, text: string, source = ""): string | undefined {
  if (old.length > longest || text.length > longest) return "it is too long to be compared word for word"
  const [before, after] = [readWords(old), readWords(text)]
  const lost = before.telling.find((word) => !isIn(word, after.telling))
  if (lost !== undefined) return `"${lost}" is missing`
  const known = [...before.telling, ...readWords(source).telling]
  const added = after.telling.find((word) => !isIn(word, known))
  if (added !== undefined) return `"${added}" is neither in the memory nor in its source`
  const other = differingThings(old, text) ?? differingWeight(before, after)
  if (other !== undefined) return other
  if (after.telling.length > 2 * before.telling.length + 2) return "it is much longer"
  const relation = relate(old, text)
  if (relation.kind === "contradicts" || differInLetters(old, text)) return "it says something else"
  if (relation.kind !== "same" && !(isInOrder(before, after) && isTurnedAlike(before, after)))
    return "its words stand in another order, which may mean something else"
  return undefined
}

/** What one text tells exactly (a number, a path, a name, a denial) and another of the same meaning does not. */
export function lostThing(dropped: string, kept: string): string | undefined {
  const [from, to] = [readWords(dropped), readWords(kept)]
  const has = new Set([...exactThings(kept), ...to.all])
  const things = [...exactThings(dropped), ...namesIn(dropped)]
  const lost = things.find((thing) => !has.has(thing) && !kept.toLowerCase().includes(thing))
  if (lost !== undefined) return lost
  if (from.denials !== to.denials) return "a denial"
  return from.units.find((unit) => !to.units.includes(unit))
}

interface Words {
  all: readonly string[]
  /** Those that carry meaning, in their order. */
  telling: readonly string[]
  /** Those that say how far, how often or whether something holds, sorted. */
  weighty: readonly string[]
  denials: number
  units: readonly string[]
  /** Words of direction with what follows them. */
  turns: ReadonlySet<string>
}

/** Words that say how far or for whom something holds. */
const weights: ReadonlySet<string> = new Set([
  ...narrowingWords,
  ..."must should shall may might can could need required optional optionally always all every any each most both either more less least than over under instead rather until since never ever first last default".split(
    " ",
  ),
])
/** Words that say which of two things does something to the other. */
const directions: ReadonlySet<string> = new Set(
  "from to into onto by against over under with without for of than before after".split(" "),
)
const denying: ReadonlySet<string> = new Set(
  Object.keys(englishNegators).filter((word) => !word.includes(" ")),
)

function readWords(text: string): Words {
  const all = wordsIn(text.replaceAll(/n['’]t\b/gi, " not"))
  const telling: string[] = []
  const turns = new Set<string>()
  let direction = ""
  for (const word of all) {
    if (directions.has(word)) direction = word
    if (weights.has(word) || denying.has(word) || emptyWords.has(word) || linkWords.has(word)) continue
    telling.push(word)
    if (direction !== "") turns.add(`${direction} ${termOf(word)}`)
    direction = ""
  }
  return {
    all,
    telling,
    weighty: all.filter((word) => weights.has(word) && !denying.has(word)).sort(),
    denials: all.filter((word) => denying.has(word)).length,
    units: all.flatMap((word) => unitOf(word) ?? []).sort(),
    turns,
  }
}

/** Whether a word, another form of it or a word of the same meaning is among others. */
function isIn(word: string, others: readonly string[]): boolean {
  return others.some((other) => areAlike(word, other))
}

function areAlike(a: string, b: string): boolean {
  if (a === b || termOf(a) === termOf(b)) return true
  const { relate: compare, base } = lexicon()
  const relation = compare(base(a), base(b))
  return relation === "equal" || relation === "synonym"
}

function differingThings(old: string, text: string): string | undefined {
  const [before, after] = [exactThings(old), exactThings(text)]
  const lost = before.find((thing) => !text.toLowerCase().includes(thing))
  if (lost !== undefined) return `"${lost}" is missing`
  const added = after.find((thing) => !old.toLowerCase().includes(thing))
  if (added !== undefined) return `"${added}" is new`
  const kept = after.filter((thing) => before.includes(thing))
  const inOld = before.filter((thing) => kept.includes(thing))
  return kept.join(" ") === inOld.join(" ") ? undefined : "its figures and paths stand in another order"
}

function differingWeight(before: Words, after: Words): string | undefined {
  if (before.denials !== after.denials) return "it denies more or less"
  if (before.units.join(" ") !== after.units.join(" ")) return "its units are others"
  if (before.weighty.join(" ") !== after.weighty.join(" ")) return "it holds more widely or more narrowly"
  return undefined
}

/** Whether the words that both have stand in the same order. */
function isInOrder(before: Words, after: Words): boolean {
  let from = 0
  for (const word of after.telling) {
    if (!isIn(word, before.telling)) continue
    const at = before.telling.findIndex((other, index) => index >= from && areAlike(word, other))
    if (at === -1) return false
    from = at
  }
  return true
}

/** Whether no word of direction leads to something that it did not lead to before. */
function isTurnedAlike(before: Words, after: Words): boolean {
  return [...after.turns].every((turn) => before.turns.has(turn))
}

/** Names: words with a capital inside a sentence, and words with capitals or digits inside them, in lower case. */
function namesIn(text: string): string[] {
  const found =
    text.match(/(?<=[^.!?:\s]\s)\p{Lu}[\p{L}\p{N}_-]*|\b\p{L}+[\p{Lu}\p{N}_][\p{L}\p{N}_]*\b/gu) ?? []
  return found.map((name) => name.toLowerCase())
}
