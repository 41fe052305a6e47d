import { gzipSync, zstdCompressSync } from "node:zlib"
import { expect, onTestFinished, test } from "vitest"
import { connectTo, question, ways } from "../../testkit/model-clients.ts"
import { type ModelServer, startModelServer } from "../../testkit/model-server/model-server.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"

/** A server whose script need not be played to its end. */
async function startServer(): Promise<ModelServer> {
  const server = await startModelServer({ models: ["one", "two"] })
  onTestFinished(() => server.close())
  return server
}

function ask(server: ModelServer) {
  return ways.whole(connectTo("OpenAI Responses", server))
}

test("a request without a step is answered with an error, and done() tells of it", async () => {
  const server = await startServer()
  server.next({ text: "first" })
  await ask(server)
  await expect(ask(server)).rejects.toMatchObject({
    statusCode: 500,
    message: expect.stringContaining("script ran out"),
    responseHeaders: expect.objectContaining({ "x-should-retry": "false" }),
  })
  expect(() => server.done()).toThrow(/script ran out.*gpt-5.*What grows here\?.*1 taken before/)
})

test("steps left over are told, with what came instead of them", async () => {
  const server = await startServer()
  server.script([{ text: "first" }, { text: "second" }])
  await ask(server)
  const { status } = await fetch(`${server.url}/v2/responses`, { method: "POST", body: "{}" })
  expect(status).toBe(404)
  expect(server.others).toMatchObject([{ method: "POST", path: "/v2/responses", body: {} }])
  expect(() => server.done()).toThrow(
    "1 of 2 steps were never asked for; other requests that came: POST /v2/responses",
  )
})

test("a script played to its end satisfies done()", async () => {
  const server = await startServer()
  server.script([{ text: "first" }, { text: "second" }])
  expect((await ask(server)).text).toBe("first")
  expect((await ask(server)).text).toBe("second")
  server.done()
})

test("a step may depend on what was asked, and a step that throws is told", async () => {
  const server = await startServer()
  server.next(({ asked }) => ({ text: `${asked.model} was asked by ${asked.system}` }))
  server.next(() => {
    throw new Error("not what I expected")
  })
  expect((await ask(server)).text).toBe("gpt-5 was asked by You are a gardener.")
  await expect(ask(server)).rejects.toMatchObject({ statusCode: 500 })
  expect(() => server.done()).toThrow("not what I expected")
})

test("side questions take no step of the script", async () => {
  const server = await serveModel()
  server.aside(({ asked }) => (asked.system.includes("title") ? { text: "A title" } : undefined))
  server.next({ text: "the real answer" })
  const titled = {
    ...question,
    prompt: [{ role: "system" as const, content: "Give a title." }, ...question.prompt],
  }
  expect((await ways.whole(connectTo("OpenAI Chat", server), titled)).text).toBe("A title")
  expect((await ask(server)).text).toBe("the real answer")
})

test("an answer for always comes when the script is over", async () => {
  const server = await serveModel()
  server.always({ text: "again" })
  server.next({ text: "once" })
  expect([await ask(server), await ask(server), await ask(server)].map(({ text }) => text)).toEqual([
    "once",
    "again",
    "again",
  ])
})

test("requests can be waited for, and tell their headers and body", async () => {
  const server = await serveModel()
  server.next({})
  const second = server.received(2)
  const [first] = await Promise.all([server.received(1), ask(server)])
  expect(first).toMatchObject({
    method: "POST",
    path: "/v1/responses",
    format: "responses",
    headers: { authorization: "Bearer key" },
    body: { model: "gpt-5", max_output_tokens: 500 },
  })
  server.next({})
  await ask(server)
  expect(await second).toBe(server.requests[1])
})

test("models are listed and tokens counted without a step", async () => {
  const server = await startServer()
  const list = await fetch(`${server.url}/v1/models`)
  expect(await list.json()).toMatchObject({ object: "list", data: [{ id: "one" }, { id: "two" }] })
  const body = JSON.stringify({ model: "claude", messages: [{ role: "user", content: "x".repeat(400) }] })
  const count = await fetch(`${server.url}/v1/messages/count_tokens?beta=true`, { method: "POST", body })
  expect(await count.json()).toEqual({ input_tokens: Math.ceil(body.length / 4) })
  server.done()
})

test.each([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
])("a request may come compressed with %s", async (encoding, compress) => {
  const server = await serveModel()
  server.next({ text: "unpacked" })
  const response = await fetch(`${server.url}/responses`, {
    method: "POST",
    headers: { "content-encoding": encoding },
    body: compress(JSON.stringify({ model: "gpt-5", input: "small" })),
  })
  expect(await response.text()).toContain("unpacked")
  expect(server.requests[0]?.asked.messages).toEqual([{ role: "user", text: "small" }])
})

test("a request of a wrong shape is refused and told", async () => {
  const server = await startServer()
  const body = JSON.stringify({ model: "claude", messages: [{ role: "user", content: "hi" }] })
  const response = await fetch(`${server.url}/v1/messages`, { method: "POST", body })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", message: expect.stringContaining("max_tokens") },
  })
  expect(() => server.done()).toThrow("max_tokens")
})
