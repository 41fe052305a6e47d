import type { MemoryType } from "../model/kinds.ts"
import { kindOf } from "./rules/kind-of.ts"
import { triggersOf } from "./rules/read/trigger-words.ts"

/** Longer texts are no rules. */
const longestRule = 2000

interface Told {
  content: string
  type?: MemoryType | undefined
  triggers: string[]
  steps?: string[] | undefined
}

/** What was read from a file, with its type by the wording where it has none. */
export function withKindOfLine(read: unknown): unknown {
  if (typeof read !== "object" || read === null || !("content" in read) || "type" in read) return read
  const { content } = read
  if (typeof content !== "string" || content.length > longestRule) return read
  const triggers = "triggers" in read && Array.isArray(read.triggers) ? read.triggers : []
  const steps = "steps" in read && Array.isArray(read.steps) ? read.steps : []
  return { ...read, ...withKind({ content, triggers, steps }) }
}

/** What was told, with its type by the wording where none was given, and with the words that bring a prohibition up. */
export function withKind<Given extends Told>(given: Given): Given & { type: MemoryType } {
  const isProcedure = (given.steps?.length ?? 0) > 0
  const type = given.type ?? (isProcedure ? "procedure" : kindOf(given.content.trim()))
  const isRule = type === "negative" || type === "preference"
  const isUnwatched = isRule && given.triggers.length === 0
  return { ...given, type, triggers: isUnwatched ? triggersOf(given.content) : given.triggers }
}
