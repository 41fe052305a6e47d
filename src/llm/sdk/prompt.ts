import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider"
import type { Message, Question, ToolShape } from "../choice/access.ts"

/** An assistant's turn in the provider's own parts, as its answer had them. */
export type NativeTurn = Extract<LanguageModelV4Message, { role: "assistant" }>["content"]

/** How a provider's prompt differs. */
export interface PromptOptions {
  /** The system text is sent separately. */
  leaveOutSystem?: boolean
  /** Marks the end of the prompt that the provider should cache for the next step. */
  cacheMark?: LanguageModelV4Message["providerOptions"]
  /** The provider rejects a limit on the answer's length. */
  noOutputLimit?: boolean
}

/** Converts our messages for the SDK. */
export function toPrompt(question: Question, wishes: PromptOptions = {}): LanguageModelV4Prompt {
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
  const textParts: NativeTurn = text === "" ? [] : [{ type: "text", text }]
  return [
    ...textParts,
    ...calls.map(({ id, name, input }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input,
    })),
  ]
}

const nativeMark = Symbol("parts of an SDK answer")

/** Marks parts as an SDK answer, so that another access's form is not mistaken for it. */
export function markNative(parts: NativeTurn): NativeTurn {
  return Object.assign([...parts], { [nativeMark]: true })
}

function isNativeTurn(native: unknown): native is NativeTurn {
  return Array.isArray(native) && nativeMark in native
}

/** Converts our tools for the SDK. */
export function toTools(tools: readonly ToolShape[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, schema }) => ({
    type: "function",
    name,
    description,
    inputSchema: schema,
  }))
}
