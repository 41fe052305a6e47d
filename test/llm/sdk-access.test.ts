import { describe, expect, it } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import type { ModelAccess } from "../../src/llm/choice/access.ts"
import { chatGptAccess, keyedAccess, localAccess } from "../../src/llm/sdk/providers.ts"
import type { HttpOptions } from "../../src/llm/sdk/sdk-access.ts"
import {
  anthropicBuckets,
  anthropicUnified,
  codexWindows,
  openAiBuckets,
} from "../../testkit/model-server/rate-headers.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { describeModelAccess } from "../contract/model-access.ts"

type Make = (needs: HttpOptions, url: string) => ModelAccess

const key = async () => ({ key: "test-key" })

const kinds = {
  openai: { model: "gpt-6-luna", make: (needs, url) => keyedAccess("openai", needs, `${url}/v1`, key) },
  chatgpt: {
    model: "gpt-6-astra",
    make: (needs, url) =>
      chatGptAccess(needs, `${url}/backend-api/codex`, async () => ({
        accessToken: "token",
        accountId: "acc-1",
      })),
  },
  anthropic: {
    model: "claude-haiku-5-5",
    make: (needs, url) => keyedAccess("anthropic", needs, `${url}/v1`, key),
  },
  openrouter: {
    model: "anthropic/claude-haiku-5.5",
    make: (needs, url) => keyedAccess("openrouter", needs, `${url}/api/v1`, key),
  },
  local: { model: "qwen3", make: (needs, url) => localAccess(needs, `${url}/v1`, undefined) },
} satisfies Record<string, { model: string; make: Make }>

async function open(make: Make, { silenceMs = 20_000 } = {}) {
  const server = await serveModel()
  return { server, access: make({ clock: systemClock, fetch, silenceMs }, server.url) }
}

for (const [name, { model, make }] of Object.entries(kinds))
  describeModelAccess({ name, model, open: (options) => open(make, options) })

function ask(access: ModelAccess, model: string) {
  return access.ask({
    model,
    system: "Be brief.",
    messages: [{ role: "user", text: "Hello" }],
    tools: [],
    toolChoice: "auto",
    maxOutputTokens: 100,
    signal: new AbortController().signal,
  })
}

describe("limits in the headers of an answer", () => {
  const now = Date.now()
  const windows = (resetAt: number) => [
    { window: "5h", unit: "percent", capacity: 100, used: 12.5, resetsAt: resetAt, lengthMs: 5 * 3_600_000 },
    { window: "7d", unit: "percent", capacity: 100, used: 40, resetsAt: resetAt, lengthMs: 7 * 86_400_000 },
  ]
  const resetAt = Math.floor(now / 1000) * 1000 + 3_600_000

  it.each(Object.entries(kinds))("%s: are read from all of them", async (_, kind) => {
    const { access, server } = await open(kind.make)
    server.script([
      {
        headers: codexWindows({
          primary: { usedPercent: 12.5, windowMinutes: 300, resetAt },
          secondary: { usedPercent: 40, windowMinutes: 10_080, resetAt },
        }),
      },
      {
        headers: anthropicUnified({
          "5h": { utilization: 0.125, resetAt },
          "7d": { utilization: 0.4, resetAt },
        }),
      },
      {
        headers: {
          ...openAiBuckets({ tokens: { limit: 1000, remaining: 850, resetMs: 90_000 } }),
          ...anthropicBuckets({ requests: { limit: 50, remaining: 42, resetAt } }),
        },
      },
    ])
    expect((await ask(access, kind.model)).readings).toMatchObject(windows(resetAt))
    expect((await ask(access, kind.model)).readings).toMatchObject(windows(resetAt))
    const { readings } = await ask(access, kind.model)
    expect(readings).toMatchObject([
      { window: "tokens", unit: "tokens", capacity: 1000, used: 150 },
      { window: "requests", unit: "requests", capacity: 50, used: 8, resetsAt: resetAt },
    ])
    expect(readings[0]?.resetsAt).toBeGreaterThan(now + 80_000)
  })

  it("come with refusals too", async () => {
    const { access, server } = await open(kinds.anthropic.make)
    const headers = anthropicUnified({ "5h": { utilization: 1, resetAt, status: "rejected" } })
    server.script([{ fail: 429, headers }])
    const answer = await ask(access, "claude-haiku-5-5")
    expect(answer).toMatchObject({
      failure: { kind: "rate-limited", retryAt: resetAt },
      readings: [{ window: "5h", used: 100 }],
    })
  })
})

it("keeps nothing at OpenAI and takes encrypted thoughts along", async () => {
  const { access, server } = await open(kinds.openai.make)
  server.script([{ text: "yes" }])
  await ask(access, "gpt-6-luna")
  expect(server.requests[0]?.body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] })
})

it("tells the ChatGPT back end the account and the instructions, and sets no limit it would refuse", async () => {
  const { access, server } = await open(kinds.chatgpt.make)
  server.script([{ text: "yes" }])
  await ask(access, "gpt-6-astra")
  const [request] = server.requests
  expect(request?.headers).toMatchObject({ "chatgpt-account-id": "acc-1", authorization: "Bearer token" })
  expect(request?.body).toMatchObject({ instructions: "Be brief.", store: false, stream: true })
  expect(request?.body).not.toHaveProperty("max_output_tokens")
})

it("learns from OpenRouter what a call cost", async () => {
  const { access, server } = await open(kinds.openrouter.make)
  server.script([{ text: "yes", usage: { input: 10, output: 1, costUsd: 0.0123 } }])
  expect((await ask(access, "anthropic/claude-haiku-5.5")).spent).toMatchObject({ costUsd: 0.0123 })
})
