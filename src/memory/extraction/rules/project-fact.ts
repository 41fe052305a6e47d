import type { Draft, Reading } from "./reading.ts"
import { isDangling } from "./reference.ts"
import { inThirdPerson } from "./third-person.ts"
import { hasName, isExact, isName, passing, stableNouns } from "./words.ts"

/** A lasting statement about the project: where something is, what it is called, who owns it, which version it has. */
export function readProjectFact({ text }: Reading): Draft | undefined {
  const isFact = isStatement(text) || isOwner(text) || isHosting(text) || isCommand(text) || isVersion(text)
  if (!isFact || isDangling(text)) return undefined
  return { content: inThirdPerson(text), type: "fact", confidence: 0.8 }
}

const verbs =
  "are formatted with|is licensed under|is formatted with|is managed with|are written in|is deployed to|are managed in|are built with|is tested with|is written in|are stored in|are hosted on|is managed by|is built with|expires after|is backed by|is stored in|is hosted on|are owned by|are run with|expire after|sits behind|are kept in|is owned by|listens on|is kept in|ends up in|comes from|listen on|is called|starts at|end up in|goes into|come from|lives in|lives on|lives at|is named|supports|requires|start at|runs on|runs in|runs at|live in|sits in|support|require|goes to|go into|targets|run on|run at|needs|go to|uses|need|have|are|use|has|is"

const statement = new RegExp(
  String.raw`^(?<subject>(?:the |our |my |this |all (?:our )?|every )?[\w@./' -]{2,60}?) (?<verb>${verbs}) (?<value>.+)$`,
  "i",
)

/** "The API runs on port 8787", "migrations live in db/migrate": a lasting thing, and an exact value. */
function isStatement(text: string): boolean {
  const { subject = "", verb = "", value = "" } = statement.exec(text)?.groups ?? {}
  const words = subject
    .toLowerCase()
    .replace(/^(?:the|our|my|this|all|every) /, "")
    .split(/\s+/)
  if (subject === "" || words.length > 6 || /\b(?:i|we|you|it|there|and|that|which)\b/i.test(subject))
    return false
  const isLasting = words.some((word) => stableNouns.has(word.replace(/'s$/, "")))
  const isNamed = /^is (?:called|named)$/i.test(verb) && /^\S+$/.test(value)
  return isLasting && (isNamed || isExactValue(value)) && !passing.test(text) && !isReport(text)
}

/** A value that is worth keeping: exact at its beginning, not somewhere in a later clause. */
function isExactValue(value: string): boolean {
  const first = value.split(/,| but | and (?=it\b|the\b|we\b)| when | because /)[0] ?? value
  return isExact(` x ${first}`)
}

/** A report of what happens just now. */
function isReport(text: string): boolean {
  return /\b(?:when i|i (?:get|see|changed|print|just)|is using|are using|error|exception|stack trace|percent|\d+ ?%)\b/i.test(
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

/** "We deploy to Fly.io", "we're on Django 5.1", "we host everything on Hetzner". */
function isHosting(text: string): boolean {
  const to =
    /^(?:we|our team) (?:deploy|host|run|ship|release|publish|build)(?: \w+)?(?: to| on| with| from| via| using| in) (.+)$/i.exec(
      text,
    )?.[1]
  if (to === undefined || passing.test(text)) return false
  return isExactValue(to)
}

/** "We're on Django 5.1." */
function isVersion(text: string): boolean {
  return /^(?:we're|we are|this (?:repo|project) is|the (?:repo|project) is) on [A-Za-z][\w.+#-]* v?\d[\w.]*(?:$|[, ])/i.test(
    text,
  )
}

/** "You start the dev server with `npm run dev`." */
function isCommand(text: string): boolean {
  return (
    /^(?:you|we) (?:start|run|build|test|deploy|lint|launch|stop|reset|seed|generate) (?:the |our |all |a )?[\w -]+ (?:with|by running|using|via) `[^`]+`/i.test(
      text,
    ) || /^to [\w -]+?,? (?:you |we |just )?(?:run|use|call|execute) `[^`]+`/i.test(text)
  )
}

/** Whether a statement that corrects another one stands on its own. */
export function isFactual(text: string, answered = ""): boolean {
  if (isStatement(text) || isOwner(text) || isHosting(text) || isVersion(text) || isCommand(text)) return true
  const { subject = "", value = "" } = statement.exec(text)?.groups ?? {}
  if (!/^(?:the|our|my) /i.test(subject) || passing.test(text)) return false
  if (isExactValue(value) || hasName(` ${value}`) || isName(value.split(/\s+/)[0] ?? "")) return true
  // One plain word is enough where the agent had spoken of the very same thing.
  const thing = subject.toLowerCase().replace(/^(?:the|our|my) /, "")
  return /^[\w-]+$/.test(value) && answered.toLowerCase().includes(thing)
}
