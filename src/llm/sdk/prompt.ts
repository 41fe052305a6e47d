import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider"
import type { Message, Question, ToolShape } from "../choice/access.ts"

/** An assistant's turn in the provider's own parts, kept from the answer it came with. */
export type NativeTurn = Extract<LanguageModelV4Message, { role: "assistant" }>["content"]

/** What a provider wants done differently. */
export interface PromptWishes {
  /** The system text goes by another way than the first message. */
  leaveOutSystem?: boolean
  /** Marks how far the provider may keep the prompt for the next step. */
  cacheMark?: LanguageModelV4Message["providerOptions"]
  /** The provider refuses a limit on the length of its answer. */
  noOutputLimit?: boolean
}

/** Our messages as the SDK's providers take them. */
export function toPrompt(question: Question, wishes: PromptWishes = {}): LanguageModelV4Prompt {
  const mark = wishes.cacheMark ? { providerOptions: wishes.cacheMark } : {}
  const system: LanguageModelV4Prompt = wishes.leaveOutSystem
    ? []
    : [{ role: "system", content: question.system, ...mark }]
  const last = question.messages.length - 1
  const rest = question.messages.map((message, index) => ({
    ...toMessage(message),
    ...(index === last ? mark : {}),
  }))
  return [...system, ...rest]
}

function toMessage(message: Message): LanguageModelV4Message {
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text }] }
    case "assistant":
      return { role: "assistant", content: isNativeTurn(message.native) ? message.native : ownParts(message) }
    case "tool":
      return {
        role: "tool",
        content: message.results.map(({ callId, name, text, isError }) => ({
          type: "tool-result",
          toolCallId: callId,
          toolName: name,
          output: { type: isError ? "error-text" : "text", value: text },
        })),
      }
  }
}

function ownParts({ text, calls }: Extract<Message, { role: "assistant" }>): NativeTurn {
  const said: NativeTurn = text === "" ? [] : [{ type: "text", text }]
  return [
    ...said,
    ...calls.map(({ id, name, input }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input,
    })),
  ]
}

const nativeMark = Symbol("parts of an SDK answer")

/** Marks parts as coming from an answer of the SDK, so that no other access's form is taken for it. */
export function markNative(parts: NativeTurn): NativeTurn {
  return Object.assign([...parts], { [nativeMark]: true })
}

function isNativeTurn(native: unknown): native is NativeTurn {
  return Array.isArray(native) && nativeMark in native
}

/** Our tools as the SDK's providers take them. */
export function toTools(tools: readonly ToolShape[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, schema }) => ({
    type: "function",
    name,
    description,
    inputSchema: schema,
  }))
}
