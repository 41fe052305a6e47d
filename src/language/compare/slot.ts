import type { Token } from "../read/token.ts"
import { attributes, choosingVerbs, ownerVerbs, singleSlots } from "../words/word-lists.ts"
import type { Step } from "./align.ts"
import type { Opposition } from "./relation.ts"

/** The only stretch in which two sentences differ, with the common tokens before and after it. */
export interface Stretch {
  a: Token[]
  b: Token[]
  before: Token[]
  after: Token[]
  /** The last word before it is identical, not only a synonym. */
  alikeBefore: boolean
}

const longestStretch = 5

/** Whether tokens fit into one slot of a sentence. */
export function fitsStretch(tokens: readonly Token[]): boolean {
  return tokens.length > 0 && tokens.length <= longestStretch
}

/** The only stretch in which two sentences differ, if neither side is empty there. */
export function onlyStretch(steps: readonly Step[]): Stretch | undefined {
  const first = steps.findIndex((step) => !isEqual(step))
  const end = steps.findLastIndex((step) => !isEqual(step))
  if (first === -1) return undefined
  const inside = steps.slice(first, end + 1)
  const a = inside.flatMap((step) => (step.a === undefined ? [] : [step.a]))
  const b = inside.flatMap((step) => (step.b === undefined ? [] : [step.b]))
  if (!fitsStretch(a) || !fitsStretch(b) || inside.filter(isEqual).length > 1) return undefined
  const last = steps[first - 1]
  const shared = (part: readonly Step[]) => part.flatMap((step) => (step.a === undefined ? [] : [step.a]))
  return {
    a,
    b,
    before: shared(steps.slice(0, first)),
    after: shared(steps.slice(end + 1)),
    alikeBefore: last?.a?.key === last?.b?.key,
  }
}

function isEqual(step: Step): boolean {
  return step.a !== undefined && step.b !== undefined && step.match.is === "equal"
}

/** Two different values in a slot that takes one: "the port is", "owned by", "use … for". */
export function opposedBySlot(stretch: Stretch): Opposition | undefined {
  if (isFlag(stretch.a) || isFlag(stretch.b)) return undefined
  const prefers = stretch.before.some((token) => token.key === "prefer")
  const by = prefers ? "preference" : "slot"
  const takesOneValue = rules.some((rule) => rule(stretch))
  return takesOneValue ? { by, older: textOf(stretch.a), newer: textOf(stretch.b) } : undefined
}

/** Two values of one setting: words like production, which elsewhere name a scope, are values here. */
export function opposedByValue(stretch: Stretch): Opposition | undefined {
  const { a, b, before } = stretch
  const verb = before.findLast((token) => !token.link)?.key
  const isSet = before.at(-1)?.key === "to" && (verb === "set" || verb === "default")
  const names = verb !== undefined && attributes.has(verb) && a[0]?.afterBe === true && b[0]?.afterBe === true
  if (!isSet && !names && !followsColon(stretch)) return undefined
  return { by: "slot", older: textOf(a), newer: textOf(b) }
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((token) => token.text).join(" ")
}

function isAttribute(token: Token): boolean {
  return attributes.has(token.key.replaceAll(" ", "_"))
}

type Rule = (stretch: Stretch) => boolean

/** "timezone: UTC", "MAX_RETRIES=3", and nothing after it. */
const followsColon: Rule = ({ a, b, before, after }) =>
  a[0]?.valued === true && b[0]?.valued === true && before.length > 0 && after.length === 0

/** "the default branch is main", "branch main". */
const fillsAttribute: Rule = ({ a, b, before, after }) => {
  const subject = before.filter((token) => !token.link)
  const last = subject.at(-1)
  if (a[0]?.link !== b[0]?.link) return false
  if (last === undefined || before.at(-1) !== last) return isAttributeOf(a, b, before)
  if (!isAttribute(last)) return isAttributeOf(a, b, before)
  const states = a[0]?.afterBe === true && b[0]?.afterBe === true
  return isName(a) && isName(b) && (states || (after.length === 0 && a[0]?.afterBe === b[0]?.afterBe))
}

/** "the default branch of the docs is main": the attribute comes earlier, and "is" directly before. */
const isAttributeOf = (a: readonly Token[], b: readonly Token[], before: readonly Token[]): boolean =>
  a[0]?.afterBe === true &&
  b[0]?.afterBe === true &&
  isName(a) &&
  isName(b) &&
  before.some((token) => isAttribute(token))

/** "deploy with X", "owned by X", "is at X". */
const fillsSlot: Rule = ({ a, b, before, after, alikeBefore }) => {
  const link = before.at(-1)
  if (link === undefined || !alikeBefore) return false
  const verb = before.findLast((token) => !token.link)
  if (!link.link) return namesAlone(link) && before.length + after.length > 1
  if (verb !== undefined && singleSlots.has(`${verb.key}+${link.key}`)) return isName(a) || isName(b)
  return slotLinks.has(link.key) && link.afterBe && after.length <= 1 && isName(a) && isName(b)
}

/** "named X", "call X" and the like, which need no preposition; "names" is something else. */
function namesAlone(verb: Token): boolean {
  return singleSlots.has(verb.key) && (verb.key !== "name" || /d$/i.test(verb.text))
}

const slotLinks = new Set(["in", "on", "at", "under", "by", "from"])

/** "maintained by the platform team", "in the test folder": the noun follows at the end. */
const namesAttribute: Rule = ({ before, after }) => {
  const [kind] = after
  return after.length === 1 && kind !== undefined && isAttribute(kind) && before.at(-1)?.link === true
}

/** "use X for tests", "prefers X for validation". */
const servesPurpose: Rule = ({ a, before, after }) => {
  const verb = before.at(-1)
  const purpose = after[0]
  if (verb === undefined || purpose === undefined || a.length > 3) return false
  return choosingVerbs.has(verb.key) && purposes.has(purpose.key) && after.length > 1
}

const purposes = new Set(["for", "as", "to"])

/** "Maria owns billing", "releases are done by Priya": one owner, at the beginning. */
const isOwner: Rule = ({ a, b, before, after }) => {
  const isKind =
    after[0] !== undefined &&
    after[0].isRewritten !== true &&
    isAttribute(after[0]) &&
    !ownerVerbs.has(after[0].key)
  const verb = isKind ? after[1] : after[0]
  if (before.length > 0 || verb === undefined || after.length < 2) return false
  if (verb.isRewritten === true) return singleSlots.has(`${verb.key}+by`)
  return ownerVerbs.has(verb.key) && (isKind || (isName(a) && isName(b)))
}

const rules: readonly Rule[] = [
  followsColon,
  fillsAttribute,
  fillsSlot,
  namesAttribute,
  servesPurpose,
  isOwner,
]

/** Whether tokens are names, code or quantities rather than describing words. */
function isName(tokens: readonly Token[]): boolean {
  return tokens.every((token) => token.link || token.form !== "word" || /[\p{Lu}\d_]/u.test(token.text))
}

/** Command-line options: several may be used. */
function isFlag(tokens: readonly Token[]): boolean {
  return tokens.some((token) => token.text.startsWith("-"))
}
