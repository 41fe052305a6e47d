import type { Token } from "./token.ts"

/** A sentence with the positions of its negations. */
interface Clause<Denial extends { at: number }> {
  tokens: Token[]
  negations: Denial[]
}

const longestSubject = 5
const longestBetween = 4

/** Turns "the service is owned by Maria" into "Maria owns the service", so that both compare as equal. */
export function inActiveVoice<Denial extends { at: number }>(clause: Clause<Denial>): Clause<Denial> {
  const { tokens, negations } = clause
  const by = tokens.findIndex((token) => token.key === "by")
  const at = tokens.slice(0, Math.max(0, by)).findLastIndex(isParticiple)
  const verb = tokens[at]
  if (verb === undefined) return clause
  const [subject, between] = [tokens.slice(0, at), tokens.slice(at + 1, by)]
  if (subject.length === 0 || subject.length > longestSubject || between.length > longestBetween)
    return clause
  // "some food" may be the subject; "poured into the pan by" has a destination in between.
  if (subject.some((token, index) => token.link && (index > 0 || token.key !== "some"))) return clause
  if (between[0]?.link === false) return clause
  const behind = tokens.slice(by + 1)
  const stop = behind.findIndex((token, index) => index > 0 && (token.link || token.paused))
  const doer = stop === -1 ? behind : behind.slice(0, stop)
  if (!canAct(doer) || negations.some((negation) => negation.at !== at)) return clause
  const done = { ...verb, afterBe: false, isRewritten: true }
  return {
    tokens: [...doer, done, ...subject, ...between, ...behind.slice(doer.length)],
    negations: negations.map((negation) => ({ ...negation, at: doer.length })),
  }
}

/** "by default" and "by 5 May" do not name who acts. */
function canAct([first, second]: readonly Token[]): boolean {
  if (first === undefined || ways.has(first.key)) return false
  if (first.form !== "quantity") return true
  // "by two people"
  return first.quantity?.kind === "amount" && first.quantity.unit === "" && second?.form === "word"
}

const ways = new Set(
  "default hand design accident mistake now then today tomorrow tonight friday monday tuesday wednesday thursday saturday sunday end".split(
    " ",
  ),
)

function isParticiple(token: Token): boolean {
  const { text, key, form, afterBe } = token
  return form === "word" && afterBe && key !== text.toLowerCase() && !/ing$/i.test(text)
}
