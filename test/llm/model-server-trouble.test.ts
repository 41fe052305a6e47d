import { describe, expect, onTestFinished, test } from "vitest"
import { clients, connectTo, question, ways } from "../../testkit/model-clients.ts"
import { startModelServer } from "../../testkit/model-server/model-server.ts"
import { openAiBuckets } from "../../testkit/model-server/rate-headers.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import type { FailStep } from "../../testkit/model-server/step.ts"

const longText = "This is a long text that will not be heard to its end."
const broken = '{"bed": '

describe.each(Object.entries(clients))("%s", (name, connect) => {
  describe.each(Object.entries(ways))("%s", (way, hear) => {
    test("a refusal has its status, its words and its headers", async () => {
      const server = await serveModel()
      const headers = openAiBuckets({ tokens: { limit: 1000, remaining: 0, resetMs: 360_000 } })
      server.next({ fail: 429, message: "Not so fast.", retryAfter: 7, headers })
      await expect(hear(connect(server))).rejects.toMatchObject({
        name: "AI_APICallError",
        statusCode: 429,
        message: "Not so fast.",
        responseHeaders: { "retry-after": "7", "x-ratelimit-reset-tokens": "6m0s" },
      })
    })

    test("a body of one's own takes the place of the provider's", async () => {
      const server = await serveModel()
      server.next({ fail: 502, body: "<html>Bad Gateway</html>" })
      await expect(hear(connect(server))).rejects.toMatchObject({
        statusCode: 502,
        responseBody: "<html>Bad Gateway</html>",
      })
    })

    test("a connection cut in the middle is an error", async () => {
      const server = await serveModel()
      server.next({ cut: 4, text: longText })
      await expect(hear(connect(server))).rejects.toThrow()
      expect(await server.requests[0]?.ended).toBe("cut")
    })

    test("broken JSON is an error", async () => {
      const server = await serveModel()
      server.next({ badJson: true, text: longText })
      if (way === "whole") await expect(hear(connect(server))).rejects.toThrow("Invalid JSON response")
      else expect((await hear(connect(server))).errors).toMatchObject([{ name: "AI_JSONParseError" }])
    })

    test("an empty answer has neither text nor calls", async () => {
      const server = await serveModel()
      server.next({ empty: true })
      expect(await hear(connect(server))).toMatchObject({ text: "", calls: [], finish: "stop", errors: [] })
    })

    test("an answer may stop for length or be filtered", async () => {
      const server = await serveModel()
      server.script([
        { text: "half", stop: "length" },
        { text: "half", stop: "filtered" },
      ])
      expect((await hear(connect(server))).finish).toBe("length")
      expect((await hear(connect(server))).finish).toBe("content-filter")
    })

    test("a storm of tool calls comes in one answer", async () => {
      const server = await serveModel()
      server.next({ toolStorm: 40 })
      const { calls } = await hear(connect(server))
      expect(calls).toHaveLength(40)
      expect(new Set(calls.map((call) => call.name))).toEqual(new Set(["look"]))
    })

    test("input that is a string goes over the wire as it stands", async () => {
      const server = await serveModel()
      server.next({ calls: [{ name: "look", input: broken }] })
      const { calls } = await hear(connect(server))
      // A whole answer of Anthropic's has the input as a value; there the text is that value.
      const asValue = name === "Anthropic Messages" && way === "whole"
      expect(calls).toEqual([{ name: "look", input: asValue ? JSON.stringify(broken) : broken }])
    })

    test("a client that gives up on a silent server is noticed", async () => {
      const server = await serveModel()
      server.next({ hang: true })
      const calledOff = new AbortController()
      const heard = hear(connect(server), { ...question, abortSignal: calledOff.signal })
      const request = await server.received(1)
      calledOff.abort(new Error("called off"))
      await expect(heard).rejects.toThrow()
      expect(await request.ended).toBe("abandoned")
    })

    test("a slow answer is whole", async () => {
      const server = await serveModel()
      server.next({ slow: 1, text: longText })
      expect((await hear(connect(server))).text).toBe(longText)
    })
  })

  test("a stream may fail after it began well", async () => {
    const server = await serveModel()
    server.next({ fail: 529, after: 5, text: longText, message: "Too much to do." })
    const { errors, text, finish } = await ways.streamed(connect(server))
    expect(errors).toMatchObject([{ message: "Too much to do." }])
    expect(longText.startsWith(text) && text !== "").toBe(true)
    expect(finish).not.toBe("stop")
  })

  test("a stream that ends too early never says that it is done", async () => {
    const server = await serveModel()
    server.next({ endAfter: 5, text: longText })
    const { text, finish } = await ways.streamed(connect(server))
    expect(longText.startsWith(text) && text !== longText).toBe(true)
    expect(finish).not.toBe("stop")
  })
})

test("all events before a cut arrive", async () => {
  const server = await serveModel()
  server.next({ cut: 5, text: longText })
  const answer = await askRaw(server.url)
  let text = ""
  const read = async () => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString("utf8")
  }
  await expect(read()).rejects.toThrow("terminated")
  expect(text.match(/^data:/gm)).toHaveLength(5)
})

test("a server may say how it begins, and then nothing until it is closed", async () => {
  const server = await startModelServer()
  onTestFinished(() => server.close())
  server.next({ hang: 1 })
  const answer = await askRaw(server.url)
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  expect(Buffer.from(first?.value ?? []).toString("utf8")).toContain("response.created")
  const next = reader?.read()
  await server.close()
  await expect(next).rejects.toThrow("terminated")
  expect(await server.requests[0]?.ended).toBe("abandoned")
})

function askRaw(url: string): Promise<Response> {
  const body = JSON.stringify({ model: "m", input: "hi", stream: true })
  return fetch(`${url}/v1/responses`, { method: "POST", body })
}

const refusals: [keyof typeof clients, FailStep["fail"], number, unknown][] = [
  ["OpenAI Responses", 400, 400, { error: { type: "invalid_request_error" } }],
  ["OpenAI Responses", 401, 401, { error: { code: "invalid_api_key" } }],
  ["OpenAI Responses", 404, 404, { error: { code: "model_not_found" } }],
  ["OpenAI Responses", 429, 429, { error: { code: "rate_limit_exceeded" } }],
  ["OpenAI Responses", 500, 500, { error: { type: "server_error" } }],
  ["OpenAI Responses", "no-credit", 429, { error: { code: "insufficient_quota" } }],
  ["OpenAI Responses", "context-full", 400, { error: { code: "context_length_exceeded" } }],
  ["ChatGPT's back end", "usage-limit", 429, { error: { type: "usage_limit_reached", plan_type: "plus" } }],
  ["OpenAI Chat", "no-credit", 429, { error: { type: "insufficient_quota" } }],
  ["OpenRouter", 402, 402, { error: { code: 402 } }],
  ["OpenRouter", "no-credit", 402, { error: { code: 402 } }],
  ["Anthropic Messages", 400, 400, { type: "error", error: { type: "invalid_request_error" } }],
  ["Anthropic Messages", 401, 401, { type: "error", error: { type: "authentication_error" } }],
  ["Anthropic Messages", 404, 404, { type: "error", error: { type: "not_found_error" } }],
  ["Anthropic Messages", 429, 429, { type: "error", error: { type: "rate_limit_error" } }],
  ["Anthropic Messages", 500, 500, { type: "error", error: { type: "api_error" } }],
  ["Anthropic Messages", 529, 529, { type: "error", error: { type: "overloaded_error" } }],
  [
    "Anthropic Messages",
    "no-credit",
    400,
    { error: { message: expect.stringContaining("credit balance is too low") } },
  ],
  ["Anthropic Messages", "context-full", 400, { error: { message: expect.stringContaining("too long") } }],
]

test.each(refusals)("%s refuses %s with status %i and its own body", async (client, fail, status, body) => {
  const server = await serveModel()
  server.next({ fail })
  const error = await connectTo(client, server)
    .doGenerate(question)
    .then(
      () => null,
      (thrown: unknown) => thrown,
    )
  expect(error).toMatchObject({ statusCode: status })
  expect(JSON.parse((error as { responseBody: string }).responseBody)).toMatchObject(body as object)
})
