import type { MemoryType } from "../model/kinds.ts"
import { kindOf } from "./rules/kind-of.ts"
import { triggersOf } from "./rules/read/trigger-words.ts"

interface Told {
  content: string
  type?: MemoryType | undefined
  triggers: string[]
  steps?: string[] | undefined
}

/** What was told, with its type by the wording where none was given, and with the words that bring a prohibition up. */
export function withKind<Given extends Told>(given: Given): Given & { type: MemoryType } {
  const isProcedure = (given.steps?.length ?? 0) > 0
  const type = given.type ?? (isProcedure ? "procedure" : kindOf(given.content.trim()))
  const isUnwatched = type === "negative" && given.triggers.length === 0
  return { ...given, type, triggers: isUnwatched ? triggersOf(given.content) : given.triggers }
}
