import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { ModelServer } from "./model-server/model-server.ts"

/** Real clients of every wire format. */
export const clients = {
  "OpenAI Responses": ({ url }: ModelServer) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey: "key" }).responses("gpt-5"),
  "ChatGPT's back end": ({ url }: ModelServer) =>
    createOpenAI({ baseURL: `${url}/backend-api/codex`, apiKey: "key" }).responses("gpt-5"),
  "OpenAI Chat": ({ url }: ModelServer) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey: "key" }).chat("gpt-4.1"),
  "a local server": ({ url }: ModelServer) =>
    createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, includeUsage: true }).chatModel("qwen"),
  OpenRouter: ({ url }: ModelServer) =>
    createOpenAICompatible({ name: "openrouter", baseURL: `${url}/api/v1` }).chatModel("some/model"),
  "Anthropic Messages": ({ url }: ModelServer) =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey: "key" })("claude-sonnet-4-5"),
} satisfies Record<string, (server: ModelServer) => LanguageModelV4>

export function connectTo(name: keyof typeof clients, server: ModelServer): LanguageModelV4 {
  return clients[name](server)
}

/** A question with a tool, as every client understands it. */
export const question: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: "You are a gardener." },
    { role: "user", content: [{ type: "text", text: "What grows here?" }] },
  ],
  tools: [
    {
      type: "function",
      name: "look",
      description: "Looks at a bed.",
      inputSchema: { type: "object", properties: { bed: { type: "string" } }, required: ["bed"] },
    },
  ],
  maxOutputTokens: 500,
}

/** What both ways of asking have in common, so that tests can say what they expect once. */
interface Heard {
  text: string
  thinking: string
  calls: { name: string; input: string }[]
  finish: string
  tokens: (number | undefined)[]
  model: string | undefined
  headers: Record<string, string> | undefined
  errors: unknown[]
}

async function hearWhole(model: LanguageModelV4, options = question): Promise<Heard> {
  const { content, finishReason, usage, response } = await model.doGenerate(options)
  return {
    text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
    thinking: content.map((part) => (part.type === "reasoning" ? part.text : "")).join(""),
    calls: content.flatMap((part) =>
      part.type === "tool-call" ? { name: part.toolName, input: part.input } : [],
    ),
    finish: finishReason.unified,
    tokens: [usage.inputTokens.total, usage.inputTokens.cacheRead, usage.outputTokens.total],
    model: response?.modelId,
    headers: response?.headers,
    errors: [],
  }
}

async function hearStream(model: LanguageModelV4, options = question): Promise<Heard> {
  const { stream, response } = await model.doStream(options)
  const heard: Heard = {
    text: "",
    thinking: "",
    calls: [],
    finish: "none",
    tokens: [],
    model: undefined,
    headers: response?.headers,
    errors: [],
  }
  for await (const part of stream) hearPart(heard, part)
  return heard
}

function hearPart(heard: Heard, part: LanguageModelV4StreamPart): void {
  if (part.type === "text-delta") heard.text += part.delta
  else if (part.type === "reasoning-delta") heard.thinking += part.delta
  else if (part.type === "tool-call") heard.calls.push({ name: part.toolName, input: part.input })
  else if (part.type === "response-metadata") heard.model = part.modelId
  else if (part.type === "error") heard.errors.push(part.error)
  else if (part.type === "finish") {
    const { inputTokens, outputTokens } = part.usage
    heard.finish = part.finishReason.unified
    heard.tokens = [inputTokens.total, inputTokens.cacheRead, outputTokens.total]
  }
}

/** Both ways of asking. */
export const ways = { whole: hearWhole, streamed: hearStream }
