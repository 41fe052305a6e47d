import { tokenize } from "../storage/search.ts"
import { relate } from "./compare/relate.ts"
import { exactValues } from "./exact-values.ts"
import { differInCase } from "./read/letter-case.ts"
import { lexicon } from "./read/lexicon.ts"
import { unitOf } from "./read/quantity.ts"
import { termOf } from "./terms.ts"
import { englishNegators } from "./words/negators.ts"
import { emptyWords, linkWords, narrowingWords } from "./words/word-lists.ts"

/** Longer texts are not compared word for word. */
const longest = 4000

/**
 * Why a text is not just a new wording of an old one; undefined if it is. Every meaningful word of the old text must
 * stay, and new ones must be in its source. Correct wordings may be refused; wrong ones must not pass.
 */
export function rewordingProblem(old: string, text: string, source = ""): string | undefined {
  if (old.length > longest || text.length > longest) return "it is too long to be compared word for word"
  const [before, after] = [readWords(old), readWords(text)]
  const lost = before.content.find((word) => !isIn(word, after.content))
  if (lost !== undefined) return `"${lost}" is missing`
  const known = [...before.content, ...readWords(source).content]
  const added = after.content.find((word) => !isIn(word, known))
  if (added !== undefined) return `"${added}" is neither in the memory nor in its source`
  const other = differingThings(old, text) ?? differingWeight(before, after)
  if (other !== undefined) return other
  if (after.content.length > 2 * before.content.length + 2) return "it is much longer"
  const relation = relate(old, text)
  if (relation.kind === "contradicts" || differInCase(old, text)) return "its meaning differs"
  if (relation.kind !== "same" && !(isInOrder(before, after) && keepsDirections(before, after)))
    return "its words have another order, which may change the meaning"
  return undefined
}

/** An exact detail (number, path, name, negation) that one text has and another of the same meaning lacks. */
export function lostDetail(dropped: string, kept: string): string | undefined {
  const [from, to] = [readWords(dropped), readWords(kept)]
  const has = new Set([...exactValues(kept), ...to.all])
  const things = [...exactValues(dropped), ...namesIn(dropped)]
  const lost = things.find((thing) => !has.has(thing) && !kept.toLowerCase().includes(thing))
  if (lost !== undefined) return lost
  if (from.denials !== to.denials) return "a denial"
  return from.units.find((unit) => !to.units.includes(unit))
}

interface Words {
  all: readonly string[]
  /** Words with a meaning, in order. */
  content: readonly string[]
  /** Words for degree, frequency and certainty, sorted. */
  qualifiers: readonly string[]
  denials: number
  units: readonly string[]
  /** Direction words with the word after them. */
  directed: ReadonlySet<string>
}

/** Words for how far or for whom something applies. */
const qualifierWords: ReadonlySet<string> = new Set([
  ...narrowingWords,
  ..."must should shall may might can could need required optional optionally always all every any each most both either more less least than over under instead rather until since never ever first last default".split(
    " ",
  ),
])
/** Words that show which of two things acts on the other. */
const directions: ReadonlySet<string> = new Set(
  "from to into onto by against over under with without for of than before after".split(" "),
)
const denying: ReadonlySet<string> = new Set(
  Object.keys(englishNegators).filter((word) => !word.includes(" ")),
)

function readWords(text: string): Words {
  const all = tokenize(text.replaceAll(/n['’]t\b/gi, " not"))
  const content: string[] = []
  const directed = new Set<string>()
  let direction = ""
  for (const word of all) {
    if (directions.has(word)) direction = word
    if (qualifierWords.has(word) || denying.has(word) || emptyWords.has(word) || linkWords.has(word)) continue
    content.push(word)
    if (direction !== "") directed.add(`${direction} ${termOf(word)}`)
    direction = ""
  }
  return {
    all,
    content,
    qualifiers: all.filter((word) => qualifierWords.has(word) && !denying.has(word)).sort(),
    denials: all.filter((word) => denying.has(word)).length,
    units: all.flatMap((word) => unitOf(word) ?? []).sort(),
    directed,
  }
}

/** Whether a word, another form of it or a synonym is among others. */
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
  const [before, after] = [exactValues(old), exactValues(text)]
  const lost = before.find((thing) => !text.toLowerCase().includes(thing))
  if (lost !== undefined) return `"${lost}" is missing`
  const added = after.find((thing) => !old.toLowerCase().includes(thing))
  if (added !== undefined) return `"${added}" is new`
  const kept = after.filter((thing) => before.includes(thing))
  const inOld = before.filter((thing) => kept.includes(thing))
  return kept.join(" ") === inOld.join(" ") ? undefined : "its numbers and paths have another order"
}

function differingWeight(before: Words, after: Words): string | undefined {
  if (before.denials !== after.denials) return "it has more or fewer negations"
  if (before.units.join(" ") !== after.units.join(" ")) return "its units differ"
  if (before.qualifiers.join(" ") !== after.qualifiers.join(" "))
    return "it applies more widely or more narrowly"
  return undefined
}

/** Whether the common words have the same order. */
function isInOrder(before: Words, after: Words): boolean {
  let from = 0
  for (const word of after.content) {
    if (!isIn(word, before.content)) continue
    const at = before.content.findIndex((other, index) => index >= from && areAlike(word, other))
    if (at === -1) return false
    from = at
  }
  return true
}

/** Whether every direction word is followed by the same word as before. */
function keepsDirections(before: Words, after: Words): boolean {
  return [...after.directed].every((turn) => before.directed.has(turn))
}

/** Names: capitalised words inside a sentence, and words with capitals or digits inside, in lower case. */
function namesIn(text: string): string[] {
  const found =
    text.match(/(?<=[^.!?:\s]\s)\p{Lu}[\p{L}\p{N}_-]*|\b\p{L}+[\p{Lu}\p{N}_][\p{L}\p{N}_]*\b/gu) ?? []
  return found.map((name) => name.toLowerCase())
}
