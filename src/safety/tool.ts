import { z } from "zod"
import { messageOf } from "../base/errors.ts"
import type { ToolShape } from "../llm/choice/access.ts"
import { fitInput } from "./fit-input.ts"
import type { Effect, Tier } from "./tier.ts"

/** What a tool hands back: text for the model; `ends` closes the conversation. */
export interface ToolOutcome {
  text: string
  isError?: boolean
  ends?: boolean
}

/** A tool's answer that tells the model what was wrong. */
export function wrong(text: string): ToolOutcome {
  return { text, isError: true }
}

/** A call whose input was checked, and what it takes to run it. Running it uses this very input and no other. */
export interface CheckedCall {
  input: Readonly<Record<string, unknown>>
  tier: Tier
  effects: readonly Effect[]
  /** Does it; never throws. */
  run(signal: AbortSignal): Promise<ToolOutcome>
}

/** Something a model may have done. It can be run only through `check`, so nothing runs unclassified. */
export interface Tool {
  shape: ToolShape
  /** Whether it hands back what others wrote: repository files, transcripts, chat, the web. */
  readsOutside: boolean
  /** Whether doing it again after a crash in the middle is the same as doing it once. */
  isRepeatable: boolean
  /** Checks the input; a sentence for the model if it is wrong. */
  check(input: unknown): CheckedCall | { problem: string }
}

interface Definition<Input extends z.ZodObject> {
  name: string
  description: string
  input: Input
  /** What it takes to run it with this input. */
  tier: Tier | ((input: z.infer<Input>) => Tier)
  /** What it does beyond the memory and our own notes; nothing by default. */
  effects?(input: z.infer<Input>): Effect[]
  readsOutside?: boolean
  isRepeatable?: boolean
  run(input: z.infer<Input>, signal: AbortSignal): Promise<ToolOutcome | string>
}

/** Defines a tool once: what the model is told of it, how its input is checked, what it takes, what it does. */
export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { $schema, ...schema } = z.toJSONSchema(definition.input, { io: "input" })
  const { name, description, readsOutside = false, isRepeatable = false } = definition
  return {
    shape: { name, description, schema },
    readsOutside,
    isRepeatable,
    check(given) {
      const parsed = definition.input.safeParse(fitInput(schema, plainData(given)))
      if (!parsed.success) return { problem: wrongInput(name, parsed.error) }
      const input = frozen(parsed.data)
      return {
        input,
        tier: typeof definition.tier === "function" ? definition.tier(input) : definition.tier,
        effects: definition.effects?.(input) ?? [],
        async run(signal) {
          try {
            const outcome = await definition.run(input, signal)
            return typeof outcome === "string" ? { text: outcome } : outcome
          } catch (error) {
            return { text: `${name} failed: ${messageOf(error)}`, isError: true }
          }
        },
      }
    },
  }
}

/** The same as plain data: what computes itself anew each time it is looked at is looked at once. */
function plainData(given: unknown): unknown {
  return given === undefined ? undefined : JSON.parse(JSON.stringify(given))
}

/** What was classified cannot be changed before it is run. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

function wrongInput(name: string, error: z.ZodError): string {
  const each = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  )
  return `The input of ${name} is wrong. ${each.join("; ")}. Call it again with a right one.`
}
