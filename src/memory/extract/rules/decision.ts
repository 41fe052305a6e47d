import { hasOpenReference } from "../../../language/read/open-reference.ts"
import { inThirdPerson } from "../../../language/read/third-person.ts"
import { isExact, isName } from "./exact-names.ts"
import type { Draft, Reading } from "./rule.ts"

export function readDecision({ text }: Reading): Draft | undefined {
  const decision = announced(text) ?? decided(text) ?? chosen(text) ?? changing(text)
  if (decision === undefined || hasOpenReference(decision)) return undefined
  if (decision.split(/\s+/).length < 4) return undefined
  return { content: inThirdPerson(decision), type: "fact", confidence: 0.85 }
}

/** "Decision made: …", "It's settled then, …": returns the rest. */
function announced(text: string): string | undefined {
  return (
    /^(?:(?:the|our|my|final|team) )?(?:team )?(?:decision|call|verdict)(?: made| is)?\s*[:,]\s*(?:that )?(.+)$/i.exec(
      text,
    )?.[1] ??
    /^(?:it's|it is|that's) (?:settled|decided|final)(?: then)?[,:]\s*(.+)$/i.exec(text)?.[1] ??
    (/^the decision is (?:to|that) .+/i.test(text) ? text : undefined)
  )
}

/** "We decided to …", "we agreed that …", "we settled on …". */
function decided(text: string): string | undefined {
  const match =
    /(?:^|, )((?:we|we've|we have|i've|i have|i|the team)(?: have| has)? (?:finally )?(?:decided|agreed|chose|chosen|settled on|picked|opted)(?: (?:to|that|on|for))?) (.+)$/i.exec(
      text,
    )
  if (
    match === null ||
    /^(?:against|it|that|this|to (?:look|try|wait|see|do|go with (?:it|that|this)))\b/i.test(match[2] ?? "")
  )
    return undefined
  return `${match[1]} ${match[2]}`
}

/** "Let's go with Postgres for the event store": something with a name, for something. */
function chosen(text: string): string | undefined {
  const match =
    /^(?:let's|let us|we'll|we will|we're going to|we are going to|we're|we are) (?:go(?:ing)? with|use|standardi[sz]e on|standardi[sz]ing on|stick(?:ing)? (?:with|to)|adopt(?:ing)?|settl(?:e|ing) on) (.+)$/i.exec(
      text,
    ) ?? /(?:^|, )(?:we're|we are) going with (?:option \w+, )?(.+)$/i.exec(text)
  const what = match?.[1]
  if (what === undefined || /^(?:a|an|your|my|option|plan|that|this|it|version|port)\b/i.test(what))
    return undefined
  const head = what.replace(/^the /i, "").split(/\s+/).slice(0, 3)
  const isNamed =
    head.some((word) => isName(word) || /[\w]+\d|_|-v?\d/.test(word)) || /\bpattern\b/i.test(what)
  const isFor = /\b(?:for|as|between|in|with|instead of|over)\b/i.test(what) || /standardi[sz]/i.test(text)
  if (!isNamed || !isFor) return undefined
  const verb = /standardi[sz]/i.test(text)
    ? "We standardize on"
    : /\buse\b/i.test(text)
      ? "We use"
      : "We go with"
  return `${verb} ${what}`
}

/** "We're switching from Webpack to Vite", "we are dropping IE11 support", "we're not going to support Windows". */
function changing(text: string): string | undefined {
  const match =
    /^(?:we're|we are|we've|we have|we) (?:now )?(switching|switched|moving|moved|migrating|migrated|dropping|dropped|replacing|replaced|retiring|retired|not going to support|won't support|not supporting) (.+)$/i.exec(
      text,
    )
  const what = match?.[2]
  if (what === undefined || !isExact(` x ${what}`)) return undefined
  if (/^(?:switch|mov|migrat)/i.test(match?.[1] ?? "") && !/\bto\b/i.test(what)) return undefined
  return text
}
