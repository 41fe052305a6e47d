import { z } from "zod"
import { tryParseJson } from "../../base/text/json.ts"
import type { Answer, Message, ToolCall } from "../choice/access.ts"
import type { LimitReading } from "../limits/limit-reading.ts"

/** The JSON schema for answers of programs when there are tools. Strict: every field required, no others. */
export const answerSchema = {
  type: "object",
  properties: {
    say: { type: "string" },
    calls: {
      type: "array",
      items: {
        type: "object",
        properties: { tool: { type: "string" }, input: { type: "string" } },
        required: ["tool", "input"],
        additionalProperties: false,
      },
    },
  },
  required: ["say", "calls"],
  additionalProperties: false,
} as const

/** The parts of a question that reading the answer needs. */
export interface AskedQuestion {
  model: string
  messages: readonly Message[]
  structured: boolean
}

/** A program's parsed output; the answer is undefined if the run did not finish. */
export interface ProgramOutput {
  answer: Answer | undefined
  readings: readonly LimitReading[]
}

/** A model's text and tool calls. */
interface ModelOutput {
  text: string
  calls: ToolCall[]
}

const looseCall = z.union([
  z.object({ tool: z.string().min(1), input: z.unknown().optional() }),
  z.object({ name: z.string().min(1), arguments: z.unknown().optional() }),
])
const looseAnswer = z.union([
  z.object({ say: z.string().default(""), calls: z.array(looseCall) }),
  z.object({ say: z.string(), calls: z.undefined() }),
])

/**
 * Parses an answer of the form above. Anything else counts as plain text as a whole: JSON inside a text may be a
 * quotation, and must not call a tool.
 */
export function readAnswer(text: string, messages: readonly Message[]): ModelOutput {
  return readStructured(tryParseJson(unfenced(text)), messages) ?? { text: text.trim(), calls: [] }
}

/** The same for an answer that is already data; undefined if it has another form. */
export function readStructured(value: unknown, messages: readonly Message[]): ModelOutput | undefined {
  const answer = looseAnswer.safeParse(value)
  if (!answer.success) return undefined
  const calls = (answer.data.calls ?? []).map((call) =>
    "tool" in call ? { name: call.tool, input: call.input } : { name: call.name, input: call.arguments },
  )
  return { text: answer.data.say.trim(), calls: withIds(calls, messages) }
}

/** Gives calls ids that are new in the conversation, and parses inputs that are JSON in a string. */
export function withIds(
  calls: readonly { name: string; input: unknown }[],
  messages: readonly Message[],
): ToolCall[] {
  const earlier = messages.reduce(
    (sum, message) => sum + (message.role === "assistant" ? message.calls.length : 0),
    0,
  )
  return calls.map(({ name, input }, index) => ({
    id: `call-${earlier + index + 1}`,
    name,
    input: typeof input === "string" ? inputOf(input) : (input ?? {}),
  }))
}

/** An input that is not JSON stays text; the tool's input check reports it to the model. */
function inputOf(text: string): unknown {
  return text.trim() === "" ? {} : (tryParseJson(text) ?? text)
}

/** The content of a text that is one code block. */
function unfenced(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text
}

/** The JSON objects among the lines of a program's output. Other lines are skipped. */
export function* jsonLines(text: string): Generator<Record<string, unknown>> {
  for (const line of text.split("\n")) {
    const value = line.startsWith("{") ? tryParseJson(line) : undefined
    if (value !== undefined) yield value as Record<string, unknown>
  }
}
