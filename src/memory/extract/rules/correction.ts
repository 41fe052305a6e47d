import { escapeRegExp } from "../../../base/text/elements.ts"
import { hasOpenReference } from "../../../language/read/open-reference.ts"
import { sentencesOf } from "../../../language/read/sentences.ts"
import { asSentence, inThirdPerson } from "../../../language/read/third-person.ts"
import { readPreference } from "./preference.ts"
import { readProhibition } from "./prohibition.ts"
import { isFactual } from "./project-fact.ts"
import type { Draft, Reading } from "./rule.ts"

const denial = `(?:no(?:,? no)*|nope|nah|wrong|incorrect|correction|actually|not quite|not exactly|that's (?:wrong|not right|incorrect|not correct|not true)|that is (?:wrong|not right|incorrect|not correct|not true)|you're (?:wrong|mistaken)|you are (?:wrong|mistaken)|you keep getting (?:this|that|it) wrong|hm+,? no|wait,? no)`
const denied = new RegExp(String.raw`^${denial}\s*[,.:;!–-]+\s*(.+)$`, "i")
const denialAlone = new RegExp(`^${denial}$`, "i")
const denialAhead = /^(?:actually|correction:?)\s+(?=(?:we|our|the|my|i'm|it's)\b)(.+)$/i

/** The user's correction as a statement of its own. */
export function readCorrection(reading: Reading): Draft | undefined {
  const { text, before, answered } = reading
  const corrected =
    denied.exec(text)?.[1] ??
    denialAhead.exec(text)?.[1] ??
    (before && denialAlone.test(before) ? text : undefined)
  const isDenied = corrected !== undefined
  const rest = (corrected ?? text).trim()
  const made =
    (answered === undefined ? undefined : instead(rest, answered)) ??
    (isDenied ? ruled({ ...reading, text: rest }) : undefined) ??
    // Without a statement of the agent there is nothing to correct.
    (isDenied && answered !== undefined ? factual(rest, answered) : undefined) ??
    contrasted(rest, isDenied)
  return (
    made && {
      ...made,
      type: made.type === "negative" ? "negative" : "correction",
      source: "user-corrected",
      confidence: 1,
      strong: true,
    }
  )
}

function correction(content: string): Draft | undefined {
  return hasOpenReference(content) ? undefined : { content: inThirdPerson(content), type: "correction" }
}

function ruled(reading: Reading): Draft | undefined {
  return readProhibition(reading) ?? readPreference(reading)
}

/** "The config is in settings/base.yml." */
function factual(text: string, answered = ""): Draft | undefined {
  const own = text.replace(/^(?:and|but|so)\s+/i, "")
  const later = /^we (?:don't|do not) have .+, (.+)$/i.exec(own)?.[1]
  if (later !== undefined && isFactual(later)) return correction(later)
  const last = own.split(/, (?:and |but )?/).at(-1) ?? own
  if (!isFactual(own, answered) && last !== own && isFactual(last) && !hasOpenReference(last))
    return correction(last)
  if (/^(?:i'm|i am) (?:not )?on\b/i.test(own)) return correction(own)
  return isFactual(own, answered) ||
    /^we (?:moved|switched|migrated) from .+ to .+/i.test(own) ||
    /^we(?:'re| are) on [\w.+#-]+ v?\d/i.test(own)
    ? correction(own.replace(/ (?:now|last (?:week|month|year))$/i, ""))
    : undefined
}

/** "The package is called @acme/core, not acme-core", "the timeout is 30, but it's actually 45". */
function contrasted(text: string, isDenied: boolean): Draft | undefined {
  const changedMind =
    /\b(the [\w -]{2,40}?) (?:is|was) [^,]{1,40},? but it(?:'s| is) (?:actually )?(.+)$/i.exec(text)
  if (changedMind) return correction(`${changedMind[1]} is ${changedMind[2]}`)
  const notOn = /^(?:i'm|i am) not on (\w+), (?:i'm|i am) on (.+)$/i.exec(text)
  if (notOn) return correction(`I'm on ${notOn[2]}, not on ${notOn[1]}`)
  const isContrast =
    /^(?:the|our) [\w -]{2,50} (?:is|are)(?: called| named| in| on)? [^,]{2,60}, not [^,]{2,60}$/i.test(text)
  return isContrast && isDenied ? correction(text) : undefined
}

/** "It's port 4000" after "… on port 3000": the agent's statement with the corrected value, where that is certain. */
function instead(text: string, answered: string): Draft | undefined {
  const notThis =
    /^it(?:'s| is) not (?:an? )?([^,.;]{2,40}),\s*(?:but )?it(?:'s| is) (?:an? )?([^,.;]{2,40})$/i.exec(text)
  if (notThis) return exchanged(notThis[1] ?? "", notThis[2] ?? "", answered)
  const value = /^it(?:'s| is)(?: actually| really)? (?:called )?(.{2,40})$/i.exec(text)?.[1]
  if (value === undefined) return undefined
  const [head, tail] = splitValue(value)
  if (head === undefined || tail === undefined) return undefined
  const mentions = [
    ...answered.matchAll(new RegExp(String.raw`\b${escapeRegExp(head.trim())} v?(\d[\w.]*)`, "gi")),
  ]
  const others = new Set(mentions.map(([, other = ""]) => other.replace(/\.$/, "")))
  const [old] = others
  if (old === undefined || others.size > 1 || old === tail) return undefined
  return exchanged(`${head} ${old}`, `${head} ${tail}`, answered) ?? correction(aboutValue(head, tail, old))
}

function aboutValue(head: string, tail: string, old: string): string {
  const isNoun = /^[a-z]/.test(head)
  return isNoun ? `The ${head} is ${tail}, not ${old}` : `${head} ${tail} is used, not ${head} ${old}`
}

/** "port 4000" is the word "port" with the value 4000. */
function splitValue(value: string): [string | undefined, string | undefined] {
  const match = /^([A-Za-z][\w+#-]*) v?(\d[\w.]*)$/.exec(value.trim())
  return [match?.[1], match?.[2]]
}

/** The agent's statement with one value replaced, if exactly one of its sentences contains it and is understood alone. */
function exchanged(wrong: string, right: string, answered: string): Draft | undefined {
  const pattern = new RegExp(String.raw`(?<![\w.])${escapeRegExp(wrong.trim())}(?![\w])`, "i")
  const mentions = sentencesOf(answered).filter(({ text }) => pattern.test(text))
  const only = mentions[0]?.text
  if (only === undefined || mentions.length > 1) return undefined
  if (
    !/^(?:the|our|your|this (?:repo|project|service|app)) /i.test(only) ||
    /\b(?:i|i'll|i'm|i've|let me)\b/i.test(only)
  )
    return undefined
  return correction(asSentence(only.replace(pattern, right).replace(/^your\b/i, "The")))
}
