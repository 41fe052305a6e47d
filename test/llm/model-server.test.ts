import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { describe, expect, onTestFinished, test } from "vitest"
import { clients, connectTo, question, ways } from "../../testkit/model-clients.ts"
import { startModelServer } from "../../testkit/model-server/model-server.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"

describe.each(Object.entries(clients))("%s", (name, connect) => {
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
        // OpenAI's own Chat API keeps its thoughts to itself, and its client reads none.
        thinking: name === "OpenAI Chat" ? "" : "I should look at both beds.",
        finish: "tool-calls",
        calls: [
          { name: "look", input: '{"bed":"north"}' },
          { name: "look", input: '{"bed":"süd"}' },
        ],
        errors: [],
      })
    })

    test("a conversation with calls and results is understood", async () => {
      const server = await serveModel()
      server.next({ text: "Thyme, then." })
      const heard = await hear(connect(server), {
        ...question,
        prompt: [...question.prompt, ...turnWithCall],
      })
      expect(heard.text).toBe("Thyme, then.")
      expect(server.requests[0]?.asked.messages).toEqual([
        { role: "user", text: "What grows here?" },
        {
          role: "assistant",
          text: "Let me look.",
          calls: [{ id: "call_7", name: "look", input: { bed: "north" } }],
        },
        { role: "tool", results: [{ callId: "call_7", text: "thyme", isError: false }] },
      ])
    })
  })

  test("a result without its call is refused, as the real API does, and takes no step", async () => {
    const server = await startModelServer()
    onTestFinished(() => server.close())
    server.next({ text: "never said" })
    const prompt = [...question.prompt, ...turnWithCall.slice(1)]
    await expect(ways.whole(connect(server), { ...question, prompt })).rejects.toMatchObject({
      statusCode: 400,
    })
    expect(server.requests).toEqual([])
    expect(() => server.done()).toThrow(/would have been refused: .*tool results without a call: call_7/)
  })
})

const turnWithCall: LanguageModelV4Prompt = [
  {
    role: "assistant",
    content: [
      { type: "text", text: "Let me look." },
      { type: "tool-call", toolCallId: "call_7", toolName: "look", input: { bed: "north" } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "call_7",
        toolName: "look",
        output: { type: "text", value: "thyme" },
      },
    ],
  },
]

test("OpenRouter tells the cost, others do not", async () => {
  const server = await serveModel()
  server.always({ usage: { input: 10, output: 5, costUsd: 0.0012 } })
  const { usage } = await connectTo("OpenRouter", server).doGenerate(question)
  expect(usage.raw).toMatchObject({ cost: 0.0012 })
  const other = await connectTo("Anthropic Messages", server).doGenerate(question)
  expect(other.usage.raw).not.toHaveProperty("cost")
})

test("errors of tools are told apart where the format can", async () => {
  const server = await serveModel()
  server.next({ text: "Pity." })
  const [call] = turnWithCall
  if (call === undefined) throw new Error("no call")
  const failed: LanguageModelV4Prompt[number] = {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "call_7",
        toolName: "look",
        output: { type: "error-text", value: "too dark" },
      },
    ],
  }
  const prompt = [...question.prompt, call, failed]
  await connectTo("Anthropic Messages", server).doGenerate({ ...question, prompt })
  expect(server.requests[0]?.asked.messages.at(-1)).toEqual({
    role: "tool",
    results: [{ callId: "call_7", text: "too dark", isError: true }],
  })
})
