import { z } from "zod"
import { jsonIn } from "../../base/text/json.ts"
import type { Answer, Message, ToolCall } from "../choice/access.ts"
import type { LimitReading } from "../limits/limit-reading.ts"

/** The form in which a program is to answer when there are tools. Strict: every field required, no others. */
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

/** What a program was asked, as far as its answer is read by it. */
export interface Asked {
  model: string
  messages: readonly Message[]
  structured: boolean
}

/** What a program printed; the answer is undefined where it came to no end. */
export interface ReadOutput {
  answer: Answer | undefined
  readings: readonly LimitReading[]
}

/** What a model said and which tools it wants. */
interface Said {
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
 * Reads an answer that was to be of the form above. Whatever is not of that form as a whole is taken as plain text:
 * JSON inside a text may be a quotation of somebody else's, and must not call anything.
 */
export function readAnswer(text: string, messages: readonly Message[]): Said {
  return readStructured(jsonIn(unfenced(text)), messages) ?? { text: text.trim(), calls: [] }
}

/** The same for an answer that came as data; undefined where it is of another form. */
export function readStructured(value: unknown, messages: readonly Message[]): Said | undefined {
  const answer = looseAnswer.safeParse(value)
  if (!answer.success) return undefined
  const calls = (answer.data.calls ?? []).map((call) =>
    "tool" in call ? { name: call.tool, input: call.input } : { name: call.name, input: call.arguments },
  )
  return { text: answer.data.say.trim(), calls: withIds(calls, messages) }
}

/** Gives calls ids that no earlier call of the conversation has, and reads inputs that came as JSON in a string. */
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

/** An input that is no JSON stays the text it is: whoever checks it can tell the model. */
function inputOf(text: string): unknown {
  return text.trim() === "" ? {} : (jsonIn(text) ?? text)
}

/** The inside of a text that is one code block as a whole. */
function unfenced(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text
}
