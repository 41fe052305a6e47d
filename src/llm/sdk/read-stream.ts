import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider"
import { tryParseJson } from "../../base/text/json.ts"
import type { Finish, Spent, ToolCall } from "../choice/access.ts"
import { markNative, type NativeTurn } from "./prompt.ts"

/** The content of a finished stream. */
export interface Received {
  text: string
  calls: ToolCall[]
  native: NativeTurn
  spent: Spent | null
  model: string | undefined
  finish: LanguageModelV4FinishReason["unified"] | undefined
  /** An error that the provider sent in the stream. */
  error: unknown
}

/** Reads a stream to its end. `onPart` is called for every part, to detect silence. */
export async function readStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  onPart: () => void,
): Promise<Received> {
  const received: OpenStream = {
    text: "",
    calls: [],
    native: [],
    spent: null,
    model: undefined,
    finish: undefined,
    error: undefined,
    blocks: new Map(),
  }
  for await (const part of stream) {
    onPart()
    addPart(received, part)
  }
  return { ...received, native: markNative(received.native) }
}

type OpenStream = Received & { blocks: Map<string, { type: "text" | "reasoning"; text: string }> }

function addPart(received: OpenStream, part: LanguageModelV4StreamPart): void {
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

function blockOf(received: OpenStream, part: BlockPart) {
  return received.blocks.get(`${part.type.startsWith("text") ? "text" : "reasoning"} ${part.id}`)
}

function addToBlock(received: OpenStream, part: Extract<BlockPart, { delta: string }>): void {
  const block = blockOf(received, part)
  if (block) block.text += part.delta
  if (part.type === "text-delta") received.text += part.delta
  addOptions(received, part)
}

/** Signatures of reasoning come at the end of their block, or in a delta of their own. */
function addOptions(received: OpenStream, part: BlockPart): void {
  const block = blockOf(received, part)
  if (block) Object.assign(block, options(part.providerMetadata))
}

function options<T>(metadata: T | undefined): { providerOptions?: T } {
  return metadata === undefined ? {} : { providerOptions: metadata }
}

/** Arguments are JSON text. Text that is not JSON stays as it is; the tool's input check rejects it. */
function parseInput(input: string): unknown {
  if (input.trim() === "") return {}
  const value = tryParseJson(input)
  return value === undefined ? input : value
}

/** The tokens of a call. OpenRouter reports the price in the raw figures. */
function spentOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Spent {
  const cost = raw && "cost" in raw ? raw.cost : null
  return {
    input: inputTokens.total ?? 0,
    cachedInput: inputTokens.cacheRead ?? 0,
    output: outputTokens.total ?? 0,
    costUsd: typeof cost === "number" ? cost : null,
  }
}

/** Why the model stopped; undefined if the stream was cut off. */
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
