import type { Command } from "commander"
import { collect, fraction } from "./option-values.ts"

/** The fields of a memory besides its text, as `add` and `edit` take them. */
export interface DetailOptions {
  trigger?: string[]
  audience?: string
  confidence?: number
  file?: string[]
  context?: string
  reason?: string
  step?: string[]
  prerequisite?: string[]
  warning?: string[]
  season?: string
  recencyWeight?: number
}

/** Adds these options to a command. */
export function detailOptions(command: Command): Command {
  return command
    .option("--trigger <text>", "a word that brings it up, * for anything; repeatable", collect)
    .option("--audience <name>", "only this audience may see it")
    .option("--confidence <number>", "how sure it is, 0 to 1", fraction)
    .option("--file <path>", "a file it is about; repeatable", collect)
    .option("--context <text>", "what you were talking about")
    .option("--reason <text>", "why you believe it")
    .option("--step <text>", "a step of a procedure, in order; repeatable", collect)
    .option("--prerequisite <text>", "what a procedure needs first; repeatable", collect)
    .option("--warning <text>", "a warning; repeatable", collect)
    .option("--season <name>", "when it matters, such as release-week")
    .option("--recency-weight <number>", "how much recent use lifts it, 0 to 1", fraction)
}

/** The options as the API takes them. */
export function detailsOf({ trigger, file, step, prerequisite, warning, ...options }: DetailOptions) {
  const { audience, confidence, context, reason, season, recencyWeight } = options
  const lists = {
    triggers: trigger,
    files: file,
    steps: step,
    prerequisites: prerequisite,
    warnings: warning,
  }
  return { ...lists, audience, confidence, context, reason, season, recencyWeight }
}
