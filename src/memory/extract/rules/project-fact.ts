import { hasOpenReference } from "../../../language/read/open-reference.ts"
import { inThirdPerson } from "../../../language/read/third-person.ts"
import { stableNouns } from "../../../language/words/word-lists.ts"
import { hasName, isExact, isName, passing } from "./exact-names.ts"
import type { Draft, Reading } from "./rule.ts"

/** A lasting statement about the project: a place, name, owner or version. */
export function readProjectFact({ text }: Reading): Draft | undefined {
  const isFact = isStatement(text) || isOwner(text) || isHosting(text) || isCommand(text)
  if (!isFact || hasOpenReference(text)) return undefined
  return { content: inThirdPerson(text), type: "fact", confidence: 0.8 }
}

const verbs =
  "are formatted with|are documented in|is formatted with|is licensed under|are described in|is documented in|is described in|is managed with|are built with|are defined in|are managed in|are written in|is deployed to|is tested with|are hosted on|are stored in|expires after|is built with|is defined in|is managed by|is written in|are owned by|are run with|expire after|is backed by|is hosted on|is stored in|are kept in|is owned by|sits behind|comes from|ends up in|is kept in|listens on|come from|end up in|goes into|is called|listen on|starts at|is named|lives at|lives in|lives on|requires|start at|supports|go into|goes to|live in|require|runs at|runs in|runs on|sits in|support|targets|run at|run on|go to|needs|have|need|uses|are|has|use|is"

const statement = new RegExp(
  String.raw`^(?<subject>(?:the |our |this |all (?:our )?|every )?[\w@./' -]{2,60}?) (?<verb>${verbs}) (?<value>.+)$`,
  "i",
)

/** "The API runs on port 8787", "migrations live in db/migrate": a lasting noun and an exact value. */
function isStatement(text: string): boolean {
  const { subject = "", verb = "", value = "" } = statement.exec(text)?.groups ?? {}
  const words = subject
    .toLowerCase()
    .replace(/^(?:the|our|this|all|every) /, "")
    .split(/\s+/)
  if (subject === "" || words.length > 6 || notASubject.test(subject)) return false
  const isLasting = words.some((word) => stableNouns.has(word.replace(/'s$/, "")))
  const isNamed = /^is (?:called|named)$/i.test(verb) && /^\S+$/.test(value)
  return isLasting && (isNamed || isExactValue(value)) && !passing.test(text) && !isReport(text)
}

/** Subjects that do not last: what is being looked at, or a person. */
const notASubject =
  /\b(?:i|we|you|it|there|and|that|which|my|value|number|count|result|output|status|error|bug|fix|line|step|request|response|test|last|latest|new|next|first|second|current)\b/i

/** Whether a value is exact at its beginning, not only in a later clause. */
function isExactValue(value: string): boolean {
  const first = value.split(/,| but | and (?=it\b|the\b|we\b)| when | because /)[0] ?? value
  return isExact(` x ${first}`)
}

/** A report of what happens now. */
function isReport(text: string): boolean {
  return /\b(?:but|when i|i (?:get|see|changed|print|just)|is using|are using|error|exception|stack trace|percent|idle)\b|\d ?%/i.test(
    text,
  )
}

/** "Maria owns the payments service." */
function isOwner(text: string): boolean {
  const owner =
    /^(?:(?<name>\p{Lu}\p{L}+)|the [\w-]+ team|our [\w-]+ team) (?:owns|maintains|is responsible for|are responsible for|leads|is in charge of|is the (?:owner|maintainer|lead|contact) (?:of|for)) (?:the |our )?[\w./-]+/u.exec(
      text,
    )
  return (
    owner !== null &&
    !/^(?:React|Node|Git|Docker|Python|Java|This|That|It|He|She|Nobody|Who|What|Everyone)$/.test(
      owner.groups?.name ?? "",
    )
  )
}

/** "We deploy to Fly.io", "we host everything on Hetzner". */
function isHosting(text: string): boolean {
  const to =
    /^(?:we|our team) (?:deploy|host|run|ship|release|publish|build)(?: \w+)?(?: to| on| with| from| via| using| in) (.+)$/i.exec(
      text,
    )?.[1]
  if (to === undefined || passing.test(text)) return false
  return isExactValue(to)
}

/** "You start the dev server with `npm run dev`." */
function isCommand(text: string): boolean {
  return (
    /^(?:you|we) (?:start|run|build|test|deploy|lint|launch|stop|reset|seed|generate) (?:the |our |all |a )?[\w -]+ (?:with|by running|using|via) `[^`]+`/i.test(
      text,
    ) || /^to [\w -]+?,? (?:you |we |just )?(?:run|use|call|execute) `[^`]+`/i.test(text)
  )
}

/** Whether a correcting statement is complete by itself. */
export function isFactual(text: string, answered = ""): boolean {
  if (isStatement(text) || isOwner(text) || isHosting(text) || isCommand(text)) return true
  const { subject = "", value = "" } = statement.exec(text)?.groups ?? {}
  if (!/^(?:the|our|my) /i.test(subject) || passing.test(text)) return false
  if (isExactValue(value) || hasName(` ${value}`) || isName(value.split(/\s+/)[0] ?? "")) return true
  // A single word is enough if the agent mentioned the same thing.
  const thing = subject.toLowerCase().split(/\s+/).at(-1) ?? ""
  return /^[\w-]+$/.test(value) && answered.toLowerCase().includes(thing)
}
