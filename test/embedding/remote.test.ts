import type { IncomingMessage, ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import { describe, expect, onTestFinished, test } from "vitest"
import { type Clock, systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { remoteKeyVariable } from "../../src/config/remote-embedder.ts"
import { configSchema } from "../../src/config/schema.ts"
import { openRemoteEmbedder } from "../../src/embedding/remote.ts"
import { serveHttp } from "../../testkit/http-server.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"

interface Asked {
  url: string
  authorization: string | undefined
  body: { model: string; input: string[]; dimensions?: number }
}

type Answer = (asked: Asked, response: ServerResponse) => void

/** Vectors that tell which text they belong to: its length, then ones. */
const embed: Answer = ({ body }, response) => {
  const length = body.dimensions ?? 4
  const data = body.input.map((text, index) => ({
    index,
    embedding: [text.length, ...Array.from({ length: length - 1 }, () => 1)],
  }))
  respond(response, 200, { data: data.toReversed() })
}

function respond(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

/** Answers in turn; the last one again and again. */
async function setUp(answers: Answer[], settings: Record<string, unknown> = {}, clock: Clock = systemClock) {
  const asked: Asked[] = []
  const url = await serveHttp(async (request: IncomingMessage, response) => {
    const body = (await json(request)) as Asked["body"]
    const one = { url: request.url ?? "", authorization: request.headers.authorization, body }
    asked.push(one)
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    answer?.(one, response)
  })
  const { embedding } = configSchema.parse({
    embedding: { model: "remote", remote_url: `${url}/v1/`, remote_model: "small", ...settings },
  })
  const variables: Record<string, string> = { OPENAI_API_KEY: "sk-one", OTHER_KEY: "sk-two" }
  const env = { variable: (name: string) => variables[name] }
  const embedder = openRemoteEmbedder({ env, clock, log: silentLog, fetch }, embedding)
  onTestFinished(() => embedder.close())
  return { embedder, asked }
}

/** A clock whose pauses are over at once, and which keeps account of them; requests have all the time they need. */
function createHastyClock(): Clock & { pauses: number[] } {
  const pauses: number[] = []
  const after: Clock["after"] = (ms, run) => {
    if (ms === 60_000 || ms === 3000) return () => {}
    pauses.push(ms)
    setImmediate(run)
    return () => {}
  }
  return { now: () => Date.UTC(2026, 0, 1, 12), after, pauses }
}

describe("A remote embedder", () => {
  test("gets before texts and questions what the model wants there, under a name of its own", async () => {
    const prefixes = { remote_text_prefix: "passage: ", remote_question_prefix: "query: " }
    const { embedder, asked } = await setUp([embed], prefixes)
    await embedder.embed(["one", "two"])
    await embedder.embed(["three"], { question: true })
    expect(asked.map(({ body }) => body.input)).toEqual([["passage: one", "passage: two"], ["query: three"]])
    expect(embedder.model).toMatch(/^small\/[0-9a-f]{8}$/)
    expect((await setUp([embed], { remote_question_prefix: "query: " })).embedder.model).toBe("small")
  })

  test("gives vectors of unit length in the order of the texts, in batches", async () => {
    const { embedder, asked } = await setUp([embed])
    const texts = Array.from({ length: 150 }, (_, index) => "x".repeat(index))
    const found = await embedder.embed(texts)
    for (const [index, { vector, tokens }] of found.entries()) {
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      // An empty text is sent as a space.
      expect((vector[0] ?? 0) / (vector[1] ?? 1)).toBeCloseTo(Math.max(1, index), 3)
      expect(tokens).toBeUndefined()
    }
    expect(asked.map(({ body }) => body.input.length)).toEqual([64, 64, 22])
    expect(asked[0]).toMatchObject({ url: "/v1/embeddings", body: { model: "small" } })
    expect(embedder.tokenDimensions).toBeUndefined()
    expect(embedder.status()).toMatchObject({ state: "ready", runtime: "remote" })
  })

  test("does not send more than some 60,000 characters at once", async () => {
    const { embedder, asked } = await setUp([embed])
    await embedder.embed(["x".repeat(50_000), "y".repeat(50_000), "z"])
    expect(asked.map(({ body }) => body.input.length)).toEqual([1, 2])
  })

  test("learns how long the vectors are, or asks for a length", async () => {
    const { embedder } = await setUp([embed])
    expect(embedder.dimensions).toBe(0)
    await embedder.embed(["a"])
    expect([embedder.dimensions, embedder.model]).toEqual([4, "small"])
    const short = await setUp([embed], { remote_dimensions: 3 })
    expect([short.embedder.dimensions, short.embedder.model]).toEqual([3, "small/3"])
    await short.embedder.embed(["a"])
    expect(short.asked[0]?.body.dimensions).toBe(3)
  })

  test("shows the key of the variable it is told, and no other to a host that is not its vendor's", async () => {
    const keys = await Promise.all(
      [{}, { remote_key_env: "OTHER_KEY" }, { remote_key_env: "" }].map(async (settings) => {
        const { embedder, asked } = await setUp([embed], settings)
        await embedder.embed(["a"])
        return asked[0]?.authorization
      }),
    )
    expect(keys).toEqual([undefined, "Bearer sk-two", undefined])
  })

  test("takes the vendor's own variable for the vendor's own host", () => {
    const hosts = [
      "https://api.openai.com/v1",
      "https://openrouter.ai/api/v1",
      "https://api.openai.com.evil.example/v1",
      "https://evil.example/api.openai.com",
    ]
    const { embedding } = configSchema.parse({ embedding: { model: "remote", remote_model: "small" } })
    expect(hosts.map((remote_url) => remoteKeyVariable({ ...embedding, remote_url }))).toEqual([
      "OPENAI_API_KEY",
      "OPENROUTER_API_KEY",
      undefined,
      undefined,
    ])
  })

  test.each([
    ["7", 7000],
    ["1.5", 1500],
    ["Thu, 01 Jan 2026 12:00:20 GMT", 20_000],
    ["soon", 1000],
  ])("waits as long as a busy server says, within reason: %s", async (retryAfter, pauseMs) => {
    const clock = createHastyClock()
    const busy: Answer = (_, response) => respond(response, 429, {}, { "retry-after": retryAfter })
    const { embedder, asked } = await setUp([busy, embed], {}, clock)
    expect(await embedder.embed(["a"])).toHaveLength(1)
    expect(asked).toHaveLength(2)
    expect(clock.pauses).toEqual([pauseMs])
  })

  test("tries again with growing pauses, and gives up after five tries with what the server said", async () => {
    const clock = createHastyClock()
    const fail: Answer = (_, response) => respond(response, 500, { error: { message: "out of cards" } })
    const { embedder, asked } = await setUp([fail], {}, clock)
    await expect(embedder.embed(["a"])).rejects.toThrow(
      /it answered 500: out of cards, 5 times; see embedding/,
    )
    expect(asked).toHaveLength(5)
    expect(clock.pauses).toEqual([1000, 2000, 4000, 8000])
    expect(embedder.status()).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("out of cards"),
    })
  })

  test("keeps somebody who waits no longer than three seconds, whatever the server says", async () => {
    const clock = createHastyClock()
    const busy: Answer = (_, response) => respond(response, 429, {}, { "retry-after": "3" })
    const { embedder, asked } = await setUp([busy], {}, clock)
    await expect(embedder.embed(["a"], { urgent: true })).rejects.toThrow(/it answered 429; see embedding/)
    expect(asked).toHaveLength(1)
  })

  test("gives up on a server that says nothing to somebody who waits", async () => {
    const clock = createManualClock()
    const heard = Promise.withResolvers<void>()
    const { embedder } = await setUp([() => heard.resolve()], {}, clock)
    const failing = expect(embedder.embed(["a"], { urgent: true })).rejects.toThrow(
      /it did not answer within 3 seconds; see embedding/,
    )
    await heard.promise
    await clock.advance(3000)
    await failing
  })

  test("tries again when the connection breaks", async () => {
    const { embedder, asked } = await setUp(
      [(_, response) => response.destroy(), embed],
      {},
      createHastyClock(),
    )
    expect(await embedder.embed(["a"])).toHaveLength(1)
    expect(asked).toHaveLength(2)
  })

  test.each<[string, Answer, RegExp]>([
    [
      "a wrong key",
      (_, r) => respond(r, 401, { error: { message: "bad key" } }),
      /answered 401: bad key; see embedding.remote_key_env/,
    ],
    ["a page", (_, r) => respond(r, 200, "<html>hello</html>"), /not that of an embedding server/],
    ["too few vectors", (_, r) => respond(r, 200, { data: [] }), /gave 0 vectors for 1 texts/],
    ["no numbers", (_, r) => respond(r, 200, { data: [{ embedding: ["x"] }] }), /not that of an embedding/],
  ])("says at once what is wrong when it gets %s", async (_, answer, reason) => {
    const { embedder, asked } = await setUp([answer])
    await expect(embedder.embed(["a"])).rejects.toThrow(reason)
    expect(asked).toHaveLength(1)
  })

  test("refuses vectors of another length than before", async () => {
    const longer: Answer = (_, r) => respond(r, 200, { data: [{ embedding: [1, 2, 3, 4, 5] }] })
    const { embedder } = await setUp([embed, longer])
    await embedder.embed(["a"])
    await expect(embedder.embed(["a"])).rejects.toThrow(/a vector of 5 numbers instead of 4/)
  })

  test("fails what it was asked when it is closed", async () => {
    const { embedder } = await setUp([() => {}])
    const cutOff = expect(embedder.embed(["a"])).rejects.toThrow("has been closed")
    await embedder.close()
    await cutOff
    await expect(embedder.embed(["b"])).rejects.toThrow("has been closed")
  })

  test("needs an address and a model", async () => {
    await expect(setUp([embed], { remote_model: "" })).rejects.toThrow(/needs embedding.remote_model; set it/)
  })
})
