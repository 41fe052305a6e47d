import { z } from "zod"
import { messageOf } from "../base/errors.ts"
import type { ToolShape } from "../llm/choice/access.ts"
import { coerceInput } from "./coerce-input.ts"
import type { Effect, Tier } from "./tier.ts"

/** A tool's result: text for the model. `ends` closes the conversation. */
export interface ToolOutcome {
  text: string
  isError?: boolean
  ends?: boolean
}

/** A result that tells the model what was wrong. */
export function toolError(text: string): ToolOutcome {
  return { text, isError: true }
}

/** A call with checked input. Running it uses exactly this input. */
export interface CheckedCall {
  input: Readonly<Record<string, unknown>>
  tier: Tier
  effects: readonly Effect[]
  /** Runs the call; never throws. */
  run(signal: AbortSignal): Promise<ToolOutcome>
}

/** A tool for a model. It runs only through `check`, so every call is classified first. */
export interface Tool {
  shape: ToolShape
  /** Whether its result contains untrusted text: repository files, transcripts, chat, the web. */
  readsUntrusted: boolean
  /** Whether running it again after a crash has the same result as running it once. */
  isRepeatable: boolean
  /** Checks the input; `problem` is a sentence for the model. */
  check(input: unknown): CheckedCall | { problem: string }
}

interface Definition<Input extends z.ZodObject> {
  name: string
  description: string
  input: Input
  /** What a call with this input needs to run. */
  tier: Tier | ((input: z.infer<Input>) => Tier)
  /** Effects beyond the memory and Reverie's own notes; none by default. */
  effects?(input: z.infer<Input>): Effect[]
  readsUntrusted?: boolean
  isRepeatable?: boolean
  run(input: z.infer<Input>, signal: AbortSignal): Promise<ToolOutcome | string>
}

/** Defines a tool: its description for the model, the check of its input, its tier and what it does. */
export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { $schema, ...schema } = z.toJSONSchema(definition.input, { io: "input" })
  const { name, description, readsUntrusted = false, isRepeatable = false } = definition
  return {
    shape: { name, description, schema },
    readsUntrusted,
    isRepeatable,
    check(raw) {
      const parsed = definition.input.safeParse(coerceInput(schema, plainData(raw)))
      if (!parsed.success) return { problem: inputProblem(name, parsed.error) }
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

/** A copy as plain data, so that getters cannot return something else later. */
function plainData(input: unknown): unknown {
  return input === undefined ? undefined : JSON.parse(JSON.stringify(input))
}

/** Makes the classified input immutable. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

function inputProblem(name: string, error: z.ZodError): string {
  const each = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  )
  return `The input of ${name} is wrong. ${each.join("; ")}. Call it again with a correct one.`
}
