import type { Command } from "commander"
import { fraction } from "./view/fraction.ts"
import { collect } from "./view/view.ts"

/** What may be told about a memory beyond its text, as `add` and `edit` take it. */
export interface KnownOptions {
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
export function knownOptions(command: Command): Command {
  return command
    .option("--trigger <text>", "a word that brings it up, * for anything; several times", collect)
    .option("--audience <name>", "only they may see it")
    .option("--confidence <number>", "how sure it is, 0 to 1", fraction)
    .option("--file <path>", "a file it is about; several times", collect)
    .option("--context <text>", "what was being talked about")
    .option("--reason <text>", "why it is believed")
    .option("--step <text>", "a step of a procedure, in order; several times", collect)
    .option("--prerequisite <text>", "what a procedure needs first; several times", collect)
    .option("--warning <text>", "what to take care of; several times", collect)
    .option("--season <name>", "when it matters, such as release-week")
    .option("--recency-weight <number>", "how much recent use lifts it, 0 to 1", fraction)
}

/** The options as the API takes them. */
export function known(options: KnownOptions) {
  return {
    triggers: options.trigger,
    audience: options.audience,
    confidence: options.confidence,
    files: options.file,
    context: options.context,
    reason: options.reason,
    steps: options.step,
    prerequisites: options.prerequisite,
    warnings: options.warning,
    season: options.season,
    recencyWeight: options.recencyWeight,
  }
}
