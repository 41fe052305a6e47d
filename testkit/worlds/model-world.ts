import { systemClock } from "../../src/base/clock.ts"
import { createLock } from "../../src/base/lock.ts"
import { silentLog } from "../../src/base/log.ts"
import { configSchema } from "../../src/config/schema.ts"
import { type AskNeeds, askModel, type CallOrigin } from "../../src/llm/ask.ts"
import type { AccessId, Answer, ModelAccess, ModelRef, Question } from "../../src/llm/choice/access.ts"
import { keyedAccess, localAccess } from "../../src/llm/sdk/providers.ts"
import { createManualClock } from "../manual-clock.ts"
import { serveModel } from "../model-server/serve-model.ts"
import { createSeededRandom } from "../seeded-random.ts"
import type { TestDatabase } from "../setup/databases.ts"

/** The key that tests plant; it must never be seen anywhere. */
export const plantedKey = "sk-proj-Zq81kfP0TrVn3xWb5LmYc7Ud9AeHs2Gj4Ko6RtNvXy"

/** The model layer on a test database, wired to a scripted server. Its clock stands still. */
export async function openModelWorld(store: TestDatabase, options: { dailyUsd?: number } = {}) {
  const server = await serveModel()
  const clock = createManualClock()
  const random = createSeededRandom(1)
  const db = await store.open({ clock, random })
  const key = async () => ({ key: plantedKey })
  const http = { clock: systemClock, fetch, silenceMs: 20_000 }
  const accesses = new Map<AccessId, ModelAccess>([
    ["openai", keyedAccess("openai", http, `${server.url}/v1`, key)],
    ["anthropic", keyedAccess("anthropic", http, `${server.url}/v1`, key)],
    ["openrouter", keyedAccess("openrouter", http, `${server.url}/api/v1`, key)],
    ["local", localAccess(http, `${server.url}/v1`, undefined)],
  ])
  const needs: AskNeeds = {
    db,
    clock,
    random,
    log: silentLog,
    config: configSchema.parse({}),
    install: "install_test",
    accesses,
    redact: (text) => text.replaceAll(plantedKey, "[secret]"),
    dailyUsd: options.dailyUsd ?? 1,
    spending: { reservedUsd: 0, lock: createLock() },
    redacted: new WeakMap(),
    staysOnMachine: (access) => access === "local",
  }
  const ask = (ref: ModelRef, changes: Partial<Question> = {}, origin?: CallOrigin): Promise<Answer> =>
    askModel(
      needs,
      ref,
      {
        system: "Be brief.",
        messages: [{ role: "user", text: "Hello" }],
        tools: [],
        toolChoice: "auto",
        maxOutputTokens: 1000,
        signal: new AbortController().signal,
        ...changes,
      },
      origin ?? { source: "ambient", cycle: "cycle_1" },
    )
  /** Asks while time goes on, for calls that pause before they are tried again. */
  const askThrough = async (ref: ModelRef) => {
    let isDone = false
    const asking = ask(ref).finally(() => {
      isDone = true
    })
    while (!isDone) await clock.advance(1000)
    return asking
  }
  return { ...needs, clock, server, ask, askThrough }
}
