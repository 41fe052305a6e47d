import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { describe, expect, test } from "vitest"
import { type ModelServer, startModelServer } from "../support/model-server/model-server.ts"
import { serveModel } from "../support/model-server/serve-model.ts"

/** Real clients of every wire format. */
const clients: Record<string, (server: ModelServer) => LanguageModelV4> = {
  "OpenAI Responses": ({ url }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "key" }).responses("gpt-5"),
  "ChatGPT's back end": ({ url }) =>
    createOpenAI({ baseURL: `${url}/backend-api/codex`, apiKey: "key" }).responses("gpt-5"),
  "OpenAI Chat": ({ url }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "key" }).chat("gpt-4.1"),
  "a local server": ({ url }) =>
    createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, includeUsage: true }).chatModel("qwen"),
  OpenRouter: ({ url }) =>
    createOpenAICompatible({ name: "openrouter", baseURL: `${url}/api/v1` }).chatModel("some/model"),
  "Anthropic Messages": ({ url }) =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey: "key" })("claude-sonnet-4-5"),
}

const question: LanguageModelV4CallOptions = {
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

const ways = { whole: hearWhole, streamed: hearStream }

describe.each(Object.entries(clients))("%s", (_name, connect) => {
  describe.each(Object.entries(ways))("%s", (way, hear) => {
    test("text, usage, model and headers arrive", async () => {
      const server = await serveModel()
      server.next({
        text: "Tomatoes and a lot of thyme, as far as I can see. 🌱",
        usage: { input: 1000, cached: 640, output: 17 },
        model: "the-one-that-answered",
        headers: { "x-told": "yes" },
      })
      const heard = await hear(connect(server))
      expect(heard).toMatchObject({
        text: "Tomatoes and a lot of thyme, as far as I can see. 🌱",
        finish: "stop",
        calls: [],
        tokens: [1000, 640, 17],
        model: "the-one-that-answered",
        errors: [],
      })
      expect(heard.headers).toMatchObject({ "x-told": "yes" })
      expect(server.requests[0]?.asked).toMatchObject({
        system: "You are a gardener.",
        messages: [{ role: "user", text: "What grows here?" }],
        tools: [{ name: "look", description: "Looks at a bed." }],
        maxTokens: 500,
        stream: way === "streamed",
      })
      expect(await server.requests[0]?.ended).toBe("answered")
    })

    test("thoughts and several tool calls arrive, with the text before them", async () => {
      const server = await serveModel()
      server.next({
        thinking: "I should look at both beds.",
        text: "Let me look.",
        calls: [
          { name: "look", input: { bed: "north" } },
          { name: "look", input: { bed: "süd" } },
        ],
      })
      const heard = await hear(connect(server))
      expect(heard).toMatchObject({
        text: "Let me look.",
        finish: "tool-calls",
        calls: [
          { name: "look", input: '{"bed":"north"}' },
          { name: "look", input: '{"bed":"süd"}' },
        ],
        errors: [],
      })
    })
  })
})

test("a request without a step is answered with an error, and done() tells of it", async () => {
  const server = await startModelServer()
  try {
    const [connect] = Object.values(clients)
    if (connect === undefined) throw new Error("no client")
    await expect(hearWhole(connect(server))).rejects.toThrow("script ran out")
    expect(() => server.done()).toThrow("script ran out")
  } finally {
    await server.close()
  }
})
