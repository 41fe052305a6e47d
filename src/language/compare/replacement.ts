import { lexicon } from "../read/lexicon.ts"
import { type Term, termOf } from "../terms.ts"
import { englishNegators, negatorsByLanguage } from "../words/negators.ts"
import {
  addingSlots,
  attitudes,
  emptyWords,
  linkWords,
  narrowingWords,
  singleSlots,
  toolsUsedAlone,
} from "../words/word-lists.ts"
import { isEvent } from "./compatibility.ts"
import type { Opposition } from "./relation.ts"

/**
 * Whether the later of two contradicting statements clearly replaces the earlier one: both fill one slot that takes one
 * value, or the later negates the earlier, and nothing else differs. Otherwise both stay and somebody is asked.
 */
export function isReplacement(earlier: string, later: string, opposition: Opposition): boolean {
  const [before, after] = [wordsOf(earlier), wordsOf(later)]
  if (narrowingOf(before) !== narrowingOf(after)) return false
  if (opposition.by === "negation") return deniesAll(before, after)
  if (opposition.by === "preference" || opposition.by === "alternative") {
    if (deniesAll(before, after) || statesChange(before, after)) return true
  }
  if (isEvent(earlier) || isEvent(later) || !differOnlyIn(before, after, opposition)) return false
  const { older, newer } = opposition
  if (isSetTo(earlier, older) && isSetTo(later, newer)) return true
  return takesOneValue(before, older, opposition) && takesOneValue(after, newer, opposition)
}

/** "LOG_LEVEL=debug", "timezone: UTC". */
function isSetTo(text: string, value: string): boolean {
  const end = text.trimEnd().replace(/\.$/, "")
  return end.endsWith(value) && /[\p{L}\p{N}_](?:\s?=\s?|:\s)$/u.test(end.slice(0, -value.length))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+(?:['’]\p{L}+)?/gu) ?? []
}

/** The words that narrow a statement to a case, sorted. */
export function narrowingOf(words: readonly string[]): string {
  return words
    .filter((word) => narrowingWords.has(word))
    .sort()
    .join(" ")
}

/** At most this many additional words in the replaced statement; the replacing one may have none. */
const mostMore = 3

/** Whether the later statement negates everything the earlier one says, or affirms what it negated. */
function deniesAll(before: readonly string[], after: readonly string[]): boolean {
  const [gone, come] = [telling(before), telling(after)]
  const more = [...gone].filter((term) => !come.has(term)).length
  return more <= mostMore && [...come].every((term) => gone.has(term))
}

function telling(words: readonly string[]): Set<Term> {
  const meaningful = words.filter(
    (word) => !emptyWords.has(word) && !denying.has(word) && !/n['’]t$/.test(word),
  )
  return new Set(meaningful.map(termOf))
}

/** Words that only negate, or say how certain something is. */
const denying = new Set([
  ...Object.keys(englishNegators).flatMap((denial) => denial.split(" ")),
  ...[...negatorsByLanguage.values()].flatMap(({ negators, drops }) => [...negators, ...drops]),
  ..."can could may must shall should will would always any all yes use uses has have feel free".split(" "),
])

/** "pnpm instead of npm", "switched from npm to pnpm": names what it replaces, without a limit to a case. */
function statesChange(before: readonly string[], after: readonly string[]): boolean {
  const isNarrower = after.some((word) => casesBegin.has(word) && !before.includes(word))
  return !isNarrower && changing.test(after.join(" "))
}

const casesBegin = new Set(["in", "on", "at", "for", "within", "under", "inside"])
const changing =
  /\b(?:instead of|rather than|replaced|(?:switch|migrat|mov|chang|upgrad|convert|transition)\w* .*\bto|not|over)\b/

/** Whether two statements have the same words, link words included, except for the opposed ones. */
function differOnlyIn(
  before: readonly string[],
  after: readonly string[],
  { older, newer }: Opposition,
): boolean {
  if (saysMoreThanOne(older) || saysMoreThanOne(newer)) return false
  const [inBefore, inAfter] = [termsBeside(before, older), termsBeside(after, newer)]
  return inBefore.size === inAfter.size && [...inBefore].every((term) => inAfter.has(term))
}

function termsBeside(words: readonly string[], value: string): Set<Term> {
  const own = new Set(wordsOf(value))
  return new Set(words.filter((word) => !own.has(word) && !emptyWords.has(word)).map(termOf))
}

/** "debug locally", "Tom on Mondays", "this week Tom". */
function saysMoreThanOne(value: string): boolean {
  const words = wordsOf(value)
  if (/[/\\]/.test(value) || words.length < 2) return false
  return words.some((word) => linkWords.has(word) || timeWords.has(word) || /.{3}ly$/.test(word))
}

const timeWords = new Set("week month year day today tomorrow yesterday".split(" "))

/** Whether the slot of a value belongs to the subject and takes one value at a time. */
function takesOneValue(words: readonly string[], value: string, { by }: Opposition): boolean {
  const [first = ""] = wordsOf(value)
  const at = words.indexOf(first)
  const ahead = words.slice(0, Math.max(0, at))
  switch (by) {
    case "number":
    case "version":
      // A number near the beginning identifies the thing: "Version 2 has a bug".
      if (
        ahead.length >= 3 ||
        ahead.some((word) => isBe(word) || !/^[\p{Script=Latin}\p{N}_'’]+$/u.test(word))
      )
        return true
      return orders.has(ahead[0] ?? "")
    case "slot":
      return !slotBefore(ahead).some((slot) => addingSlots.has(slot))
    case "antonym":
      return ahead.some(isBe) || (at > 0 && at + 1 === words.length) || attitudes.has(lexicon().base(first))
    case "ordinal":
      return ahead.some(isBe)
    case "alternative":
      return isSaidOfIt(ahead) || isUsedAlone(words, at)
    default:
      return true
  }
}

const beForms = new Set("is are ist sind est sont es son è é sono são zijn".split(" "))

function isBe(word: string): boolean {
  return beForms.has(word)
}

/** "Use 2 spaces", "Retry 3 times". */
const orders = new Set(
  "use retry keep set wait allow limit indent wrap cache store run try expect want".split(" "),
)
const usesOne = new Set("use uses using with".split(" "))

/** "uses npm", and whatever is used for something: "use Postgres as the database". */
function isUsedAlone(words: readonly string[], at: number): boolean {
  if (!usesOne.has(words[at - 1] ?? "")) return false
  return toolsUsedAlone.has(words[at] ?? "") || purposes.has(words[at + 1] ?? "")
}

const purposes = new Set(["for", "as"])

/** "is red", "is in France", "is hosted on Fly". */
function isSaidOfIt(ahead: readonly string[]): boolean {
  const [beforeLast = "", last = ""] = ahead.filter((word) => word !== "the" && word !== "a").slice(-2)
  if (isBe(last) || (isBe(beforeLast) && linkWords.has(last))) return true
  return slotBefore(ahead).some((slot) => singleSlots.has(slot) && !addingSlots.has(slot))
}

/** The last word, and the verb with its preposition, before a value: "host+on". */
function slotBefore(ahead: readonly string[]): string[] {
  const words = ahead.filter((word) => word !== "the" && word !== "a")
  const [verb = "", link = ""] = [words.at(-2), words.at(-1)]
  return [link, `${lexicon().base(verb)}+${link}`]
}
