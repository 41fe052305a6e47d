import { describe, expect, it } from "vitest"
import { z } from "zod"
import { systemClock } from "../../src/base/clock.ts"
import { type Conversation, converse } from "../../src/llm/converse.ts"
import { localAccess } from "../../src/llm/sdk/providers.ts"
import { withReadOnlyGuard } from "../../src/safety/dispatch.ts"
import { defineTool } from "../../src/safety/tool.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import type { ModelServer } from "../../testkit/model-server/model-server.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import type { ScriptStep } from "../../testkit/model-server/step.ts"

const add = defineTool({
  name: "add",
  description: "Adds numbers.",
  input: z.object({ a: z.number(), b: z.number(), loud: z.boolean().optional() }),
  tier: "auto",
  run: async ({ a, b, loud }) => `${a + b}${loud ? "!" : ""}`,
})
const read = defineTool({
  name: "read",
  description: "Reads a file.",
  input: z.object({ path: z.string(), lines: z.array(z.int()).optional() }),
  tier: "auto",
  run: async ({ path }) => {
    if (path === "gone") throw new Error("no such file")
    return "word ".repeat(4000)
  },
})
const end = defineTool({
  name: "end",
  description: "Ends it.",
  input: z.object({ summary: z.string() }),
  tier: "auto",
  run: async ({ summary }) => ({ text: summary, ends: true }),
})

const generous = { steps: 20, calls: 50, tokens: 1_000_000, wallMs: 60_000 }

async function talk(steps: ScriptStep[], changes: Partial<Conversation> = {}) {
  const server = await serveModel()
  server.script(steps)
  return { server, result: await converse(needsFor(server), conversation(changes)) }
}

function needsFor(server: ModelServer, clock = systemClock) {
  const access = localAccess({ clock: systemClock, fetch, silenceMs: 20_000 }, `${server.url}/v1`, undefined)
  return { clock, ask: access.ask }
}

function conversation(changes: Partial<Conversation>): Conversation {
  return {
    model: "qwen3",
    context: 100_000,
    system: "Be brief.",
    messages: [{ role: "user", text: "Go on." }],
    ...withReadOnlyGuard([add, read, end]),
    limits: generous,
    maxOutputTokens: 1000,
    signal: new AbortController().signal,
    ...changes,
  }
}

const call = (name: string, input: unknown): ScriptStep => ({ calls: [{ name, input }] })

/** What the tools answered the model, in order. */
function toolAnswers(server: ModelServer): string[] {
  const last = server.requests.at(-1)?.asked.messages ?? []
  return last.flatMap((message) => (message.role === "tool" ? message.results.map(({ text }) => text) : []))
}

describe("a conversation", () => {
  it("runs tools until the model has its answer", async () => {
    const { result, server } = await talk([
      call("add", { a: 2, b: 3 }),
      {
        calls: [
          { name: "add", input: { a: 5, b: 5 } },
          { name: "add", input: { a: 1, b: 1 } },
        ],
      },
      { text: "Done: 10 and 2." },
    ])
    expect(result).toMatchObject({ end: { reason: "answered" }, text: "Done: 10 and 2.", steps: 2, calls: 3 })
    expect(toolAnswers(server)).toEqual(["5", "10", "2"])
    expect(result.spent.input).toBeGreaterThan(0)
  })

  it("is over when a tool says so, and runs nothing after it", async () => {
    const { result } = await talk([
      {
        calls: [
          { name: "end", input: { summary: "all done" } },
          { name: "add", input: { a: 1, b: 1 } },
        ],
      },
    ])
    expect(result).toMatchObject({ end: { reason: "ended-by-tool", tool: "end" }, calls: 1 })
    expect(result.messages.at(-1)).toMatchObject({
      results: [{ text: "all done" }, { isError: true, text: expect.stringContaining("Not run") }],
    })
  })

  it("takes numbers, booleans and lists that come as text", async () => {
    const { server } = await talk([
      call("add", { a: "2", b: " 3 ", loud: "true" }),
      call("add", JSON.stringify({ a: 1, b: 2 })),
      call("read", { path: "x", lines: "[1, 2]" }),
      { text: "ok" },
    ])
    expect(toolAnswers(server).slice(0, 2)).toEqual(["5!", "3"])
    expect(toolAnswers(server)[2]).toMatch(/^word/)
  })

  it("answers wrong input, unknown tools and failing tools with words the model can use", async () => {
    const { server, result } = await talk([
      call("add", { a: "two" }),
      call("addd", { a: 1 }),
      call("read", { path: "gone" }),
      call("add", "{broken"),
      { text: "I see." },
    ])
    expect(toolAnswers(server)).toEqual([
      expect.stringMatching(/input of add is wrong.*\ba: .*\bb: /),
      "There is no tool addd. The tools are: add, read, end.",
      "read failed: no such file",
      expect.stringMatching(/input of add is wrong/),
    ])
    expect(result.end).toEqual({ reason: "answered" })
  })

  it("grants one last turn to answer when the budget for tools is used up", async () => {
    const { result, server } = await talk(
      [call("add", { a: 1, b: 1 }), call("add", { a: 2, b: 2 }), { text: "Enough: 4." }],
      { limits: { ...generous, steps: 2 } },
    )
    expect(result).toMatchObject({ end: { reason: "answered" }, text: "Enough: 4.", steps: 2 })
    expect(server.requests[2]?.body).toMatchObject({ tool_choice: "none" })
  })

  it("survives a storm of tool calls: those beyond the budget are answered, not run", async () => {
    const storm = { toolStorm: 40, calls: [{ name: "add", input: { a: 1, b: 1 } }] }
    const { result, server } = await talk([storm, { text: "Enough." }], { limits: { ...generous, calls: 7 } })
    expect(result).toMatchObject({ end: { reason: "answered" }, calls: 7 })
    expect(toolAnswers(server).filter((text) => text === "2")).toHaveLength(7)
    expect(toolAnswers(server)).toHaveLength(40)
  })

  it("ends even if the model calls tools in its last turn", async () => {
    const { result } = await talk([call("add", { a: 1, b: 1 }), call("add", { a: 1, b: 1 })], {
      limits: { ...generous, steps: 1 },
    })
    expect(result).toMatchObject({ end: { reason: "answered" }, calls: 1 })
  })

  it("stops hard when its tokens are spent", async () => {
    const usage = { input: 3000, output: 200 }
    const { result, server } = await talk(
      [
        { ...call("add", { a: 1, b: 1 }), usage },
        { ...call("add", { a: 1, b: 1 }), usage },
      ],
      { limits: { ...generous, tokens: 6000 } },
    )
    expect(result).toMatchObject({ end: { reason: "tokens" }, spent: { input: 6000, output: 400 } })
    expect(server.requests).toHaveLength(2)
    expect(server.requests[1]?.asked.maxTokens).toBe(1000)
  })

  it("never asks for more output than its tokens allow", async () => {
    const { server } = await talk([{ text: "hi" }], { limits: { ...generous, tokens: 300 } })
    expect(server.requests[0]?.asked.maxTokens).toBe(300)
  })

  it("is aborted at any moment", async () => {
    const server = await serveModel()
    server.script([call("add", { a: 1, b: 1 }), { text: "never", hang: 1 }])
    const calledOff = new AbortController()
    const talking = converse(needsFor(server), conversation({ signal: calledOff.signal }))
    await server.received(2)
    calledOff.abort()
    expect(await talking).toMatchObject({ end: { reason: "aborted" }, steps: 1 })
  })

  it("stops when its time is up", async () => {
    const server = await serveModel()
    server.script([{ text: "never", hang: true }])
    const clock = createManualClock()
    const talking = converse(needsFor(server, clock), conversation({}))
    await server.received(1)
    await clock.advance(60_000)
    expect(await talking).toMatchObject({ end: { reason: "time" } })
  })

  it("gives a failure of the model back as data, with what was said so far", async () => {
    const { result } = await talk([call("add", { a: 1, b: 1 }), { fail: 401 }])
    expect(result).toMatchObject({ end: { reason: "failed", failure: { kind: "auth" } }, calls: 1 })
    expect(result.messages).toHaveLength(3)
  })

  it("tells an answer that was cut off from a whole one", async () => {
    const { result } = await talk([{ text: "And so", stop: "length" }])
    expect(result).toMatchObject({ end: { reason: "cut-off" }, text: "And so" })
  })

  it("hands over every message as it comes", async () => {
    const roles: string[] = []
    await talk([call("add", { a: 1, b: 1 }), { text: "2" }], {
      onMessage: ({ role }) => {
        roles.push(role)
      },
    })
    expect(roles).toEqual(["assistant", "tool", "assistant"])
  })
})

describe("a conversation that grows", () => {
  const reading = (input: number): ScriptStep => ({
    calls: [{ name: "read", input: { path: "big" } }],
    usage: { input, output: 10 },
  })

  it("is shortened at four fifths of the context, and counts it", async () => {
    const { result, server } = await talk(
      [reading(2000), reading(8500), { text: "Notes: three files were read." }, { text: "Done." }],
      { context: 15_000 },
    )
    expect(result).toMatchObject({ end: { reason: "answered" }, text: "Done.", compactions: 1 })
    const last = JSON.stringify(server.requests[3]?.asked.messages)
    expect(last).toContain("Go on.")
    expect(last).toContain("Notes: three files were read.")
    expect(last.length).toBeLessThan(JSON.stringify(server.requests[1]?.asked.messages).length)
  })

  it("is shortened by rule where the model cannot do it", async () => {
    const { result } = await talk([reading(2000), reading(8500), { fail: 400 }, { text: "Done." }], {
      context: 15_000,
    })
    expect(result).toMatchObject({ end: { reason: "answered" }, text: "Done.", compactions: 1 })
  })

  it("is shortened and asked again when the provider says that it is too long", async () => {
    const { result } = await talk(
      [reading(2000), { fail: "context-full" }, { text: "Notes: a file." }, { text: "Done." }],
      { context: 15_000 },
    )
    expect(result).toMatchObject({ end: { reason: "answered" }, text: "Done.", compactions: 1 })
  })
})
