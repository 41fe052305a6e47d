import type { Token } from "./token.ts"

/** A sentence with the places of its denials. */
interface Clause<Denial extends { at: number }> {
  tokens: Token[]
  negations: Denial[]
}

const longestSubject = 5

/** Turns "the service is owned by Maria" into "Maria owns the service", so that both read the same. */
export function inActiveVoice<Denial extends { at: number }>(clause: Clause<Denial>): Clause<Denial> {
  const { tokens, negations } = clause
  const by = tokens.findIndex((token) => token.key === "by")
  const verb = tokens[by - 1]
  const subject = tokens.slice(0, Math.max(0, by - 1))
  if (verb === undefined || !isParticiple(verb) || subject.length > longestSubject) return clause
  if (subject.length === 0 || subject.some((token) => token.link)) return clause
  const behind = tokens.slice(by + 1)
  const stop = behind.findIndex((token, at) => at > 0 && (token.link || token.paused))
  const doer = stop === -1 ? behind : behind.slice(0, stop)
  if (doer.length === 0 || !canAct(doer[0]) || negations.some((negation) => negation.at !== by - 1))
    return clause
  return {
    tokens: [...doer, { ...verb, afterBe: false, turned: true }, ...subject, ...behind.slice(doer.length)],
    negations: negations.map((negation) => ({ ...negation, at: doer.length })),
  }
}

/** "by default" and "by 5 May" tell how and when, not who. */
function canAct(token: Token | undefined): boolean {
  return token !== undefined && token.form !== "quantity" && !ways.has(token.key)
}

const ways = new Set(
  "default hand design accident mistake now then today tomorrow tonight friday monday tuesday wednesday thursday saturday sunday end".split(
    " ",
  ),
)

function isParticiple(token: Token): boolean {
  return token.form === "word" && token.afterBe && token.key !== token.text.toLowerCase()
}
