import type { z } from "zod"
import { grouped, shorten } from "./text.ts"

type Issue = z.ZodError["issues"][number]

/** The first problem that a schema found in the input, as a plain sentence. */
export function describeInvalidInput(error: z.ZodError, given: unknown): string {
  const [issue] = error.issues
  return issue === undefined ? "The input is not valid." : sentence(issue, given)
}

function sentence(issue: Issue, given: unknown): string {
  const name = nameOf(issue.path)
  const subject = subjectOf(issue.path)
  const found = at(given, issue.path)
  const expected = expectedBy(issue)
  if (expected !== undefined)
    return found === undefined
      ? `${subject} is missing; it ${expected}.`
      : `${subject} ${expected}, not ${shown(found)}.`
  switch (issue.code) {
    case "too_big":
      return tooMuch(name, subject, issue)
    case "too_small":
      return tooLittle(name, subject, issue)
    case "invalid_type":
      if (found === undefined) return `${subject} is missing.`
      return `${subject} must be ${kinds[issue.expected] ?? "something else"}, not ${shown(found)}.`
    case "invalid_value":
      if (found === undefined) return `${subject} is missing.`
      return `${subject} must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}, not ${shown(found)}.`
    case "unrecognized_keys":
      return `${issue.keys.join(", ")} is not known here; leave it out.`
    case "custom":
      return sentenceOf(issue.message)
    default:
      return found === undefined ? `${subject} is missing.` : `${subject} is not valid: ${shown(found)}.`
  }
}

/** What is expected instead, in the schema's own words, which start with "must be", or as a union's choices. */
function expectedBy(issue: Issue): string | undefined {
  if (issue.code !== "custom" && issue.message.startsWith("must be ")) return issue.message
  if (issue.code !== "invalid_union") return undefined
  const choices = "options" in issue && Array.isArray(issue.options) ? issue.options : choicesOf(issue.errors)
  return choices.length === 0
    ? undefined
    : `must be ${choices.length > 1 ? "one of " : ""}${choices.join(", ")}`
}

/** What each part of a union accepts, where the parts are plain values. */
function choicesOf(parts: readonly Issue[][]): unknown[] {
  const choices = parts.map(([issue]) => {
    if (issue === undefined || issue.path.length > 0) return []
    if (issue.code === "invalid_value") return issue.values
    if (issue.code !== "invalid_type") return []
    return issue.expected === "boolean" ? [true, false] : [kinds[issue.expected] ?? issue.expected]
  })
  return choices.some((some) => some.length === 0) ? [] : [...new Set(choices.flat())]
}

const kinds: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  function: "a function",
}

function tooMuch(
  name: string,
  subject: string,
  { origin, maximum }: { origin: string; maximum: number | bigint },
): string {
  const most = grouped(maximum)
  if (origin === "string") return `${subject} is too long: at most ${most} characters.`
  if (origin === "array") return `There are too many ${name}: at most ${most}.`
  return `${subject} is too big: at most ${most}.`
}

function tooLittle(
  name: string,
  subject: string,
  { origin, minimum }: { origin: string; minimum: number | bigint },
): string {
  const least = grouped(minimum)
  if (origin === "string") return `${subject} is empty; give one.`
  if (origin === "array") return `There are too few ${name}: at least ${least}.`
  return `${subject} is too small: at least ${least}.`
}

/** A field as the subject of a sentence. A name that is no singular noun is shown as the caller writes it. */
function subjectOf(path: readonly PropertyKey[]): string {
  const name = nameOf(path)
  return /(?:s|\bat)$/.test(name) ? `\`${path.map(String).join(".")}\`` : `The ${name}`
}

/** A field's name for people: tags.3 is a tag, messageIndex a message index. */
function nameOf(path: readonly PropertyKey[]): string {
  const words: string[] = []
  for (const part of path) {
    const last = words.at(-1)
    if (typeof part === "number" && last !== undefined) words[words.length - 1] = last.replace(/s$/, "")
    else words.push(String(part).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
  }
  return words.join(" ") || "request"
}

function at(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined),
    given,
  )
}

function shown(value: unknown): string {
  return shorten(JSON.stringify(value) ?? String(value), 60)
}

function sentenceOf(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
