import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider"
import { jsonIn } from "../../base/text/json.ts"
import type { Finish, Spent, ToolCall } from "../choice/access.ts"
import { markNative, type NativeTurn } from "./prompt.ts"

/** What a stream held when it was over. */
export interface Received {
  text: string
  calls: ToolCall[]
  native: NativeTurn
  spent: Spent | null
  model: string | undefined
  finish: LanguageModelV4FinishReason["unified"] | undefined
  /** What the provider sent instead of the rest. */
  error: unknown
}

/** Reads a stream to its end; every part that comes is told, so that silence can be noticed. */
export async function readStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  onPart: () => void,
): Promise<Received> {
  const received = createReceived()
  for await (const part of stream) {
    onPart()
    take(received, part)
  }
  return { ...received, native: markNative(received.native) }
}

type Open = Received & { blocks: Map<string, { type: "text" | "reasoning"; text: string }> }

function createReceived(): Open {
  return {
    text: "",
    calls: [],
    native: [],
    spent: null,
    model: undefined,
    finish: undefined,
    error: undefined,
    blocks: new Map(),
  }
}

function take(received: Open, part: LanguageModelV4StreamPart): void {
  switch (part.type) {
    case "text-start":
    case "reasoning-start": {
      const type = part.type === "text-start" ? "text" : "reasoning"
      const block = { type, text: "", ...options(part.providerMetadata) } as const
      received.blocks.set(`${type} ${part.id}`, block)
      received.native.push(block)
      return
    }
    case "text-delta":
    case "reasoning-delta":
      addToBlock(received, part)
      return
    case "text-end":
    case "reasoning-end":
      addOptions(received, part)
      return
    case "tool-call": {
      const input = parseInput(part.input)
      received.calls.push({ id: part.toolCallId, name: part.toolName, input })
      const { toolCallId, toolName, providerMetadata } = part
      received.native.push({ type: "tool-call", toolCallId, toolName, input, ...options(providerMetadata) })
      return
    }
    case "response-metadata":
      received.model = part.modelId ?? received.model
      return
    case "finish":
      received.finish = part.finishReason.unified
      received.spent = spentOf(part.usage)
      return
    case "error":
      received.error = part.error
      return
    default:
      return
  }
}

type BlockPart = Extract<LanguageModelV4StreamPart, { type: `${"text" | "reasoning"}-${"delta" | "end"}` }>

function blockOf(received: Open, part: BlockPart) {
  return received.blocks.get(`${part.type.startsWith("text") ? "text" : "reasoning"} ${part.id}`)
}

function addToBlock(received: Open, part: Extract<BlockPart, { delta: string }>): void {
  const block = blockOf(received, part)
  if (block) block.text += part.delta
  if (part.type === "text-delta") received.text += part.delta
  addOptions(received, part)
}

/** Signatures of thoughts come at the end of their block, or in a delta of their own. */
function addOptions(received: Open, part: BlockPart): void {
  const block = blockOf(received, part)
  if (block) Object.assign(block, options(part.providerMetadata))
}

function options<T>(metadata: T | undefined): { providerOptions?: T } {
  return metadata === undefined ? {} : { providerOptions: metadata }
}

/** Arguments come as JSON text; what is none stays text, for the tool to complain about. */
function parseInput(input: string): unknown {
  if (input.trim() === "") return {}
  const value = jsonIn(input)
  return value === undefined ? input : value
}

/** The tokens of a call. OpenRouter tells its price in the raw figures. */
function spentOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Spent {
  const cost = raw && "cost" in raw ? raw.cost : null
  return {
    input: inputTokens.total ?? 0,
    cachedInput: inputTokens.cacheRead ?? 0,
    output: outputTokens.total ?? 0,
    costUsd: typeof cost === "number" ? cost : null,
  }
}

/** Why it stopped, in our words; undefined where it did not stop but broke off. */
export function finishOf({ finish, calls }: Received): Finish | undefined {
  switch (finish) {
    case "length":
      return "length"
    case "content-filter":
      return "filtered"
    case "error":
    case "interrupted":
    case undefined:
      return undefined
    default:
      return calls.length > 0 ? "calls" : "stop"
  }
}
