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
  const found = at(given, issue.path)
  switch (issue.code) {
    case "too_big":
      return tooMuch(name, issue)
    case "too_small":
      return tooLittle(name, issue)
    case "invalid_type":
      if (found === undefined) return `The ${name} is missing.`
      return `The ${name} must be ${kinds[issue.expected] ?? "something else"}, not ${shown(found)}.`
    case "invalid_value":
      if (found === undefined) return `The ${name} is missing.`
      return `The ${name} must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}, not ${shown(found)}.`
    case "unrecognized_keys":
      return `${issue.keys.join(", ")} is not known here; leave it out.`
    case "custom":
      return sentenceOf(issue.message)
    default:
      return `The ${name} is not valid: ${shown(found)}.`
  }
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

function tooMuch(name: string, { origin, maximum }: { origin: string; maximum: number | bigint }): string {
  const most = grouped(maximum)
  if (origin === "string") return `The ${name} is too long: at most ${most} characters.`
  if (origin === "array") return `There are too many ${name}: at most ${most}.`
  return `The ${name} is too big: at most ${most}.`
}

function tooLittle(name: string, { origin, minimum }: { origin: string; minimum: number | bigint }): string {
  const least = grouped(minimum)
  if (origin === "string") return `The ${name} is empty; give one.`
  if (origin === "array") return `There are too few ${name}: at least ${least}.`
  return `The ${name} is too small: at least ${least}.`
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
