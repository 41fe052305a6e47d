import { describe, expect, it } from "vitest"
import type { AccessId } from "../../src/llm/choice/access.ts"
import { type AccessState, type ChoiceView, chooseModel } from "../../src/llm/choice/select.ts"

const now = Date.UTC(2026, 0, 1)
const all: AccessId[] = ["chatgpt", "codex", "claude", "local", "openai", "anthropic", "openrouter"]

function states(...ready: AccessId[]): AccessState[] {
  return all.map((access) => ({ access, ready: ready.includes(access), detail: `${access} it is` }))
}

function view(changes: Partial<ChoiceView> = {}): ChoiceView {
  return {
    now,
    provider: "auto",
    configured: "",
    allowApiKeys: false,
    states: states(...all),
    pools: [],
    userActiveAt: new Map(),
    usdLeft: 1,
    localModel: "qwen3",
    heldBack: new Map(),
    ...changes,
  }
}

const chosen = (changes: Partial<ChoiceView>, job: "gardener" | "judge" | "chat" = "gardener") =>
  chooseModel(view(changes), job).chosen

describe("choosing a model", () => {
  it("goes through the chain in its order", () => {
    const order: AccessId[] = []
    let left = [...all]
    while (left.length > 0) {
      const choice = chosen({ states: states(...left), allowApiKeys: true })
      if (choice === null) break
      order.push(choice.access)
      left = left.filter((access) => access !== choice.access)
    }
    expect(order).toEqual(all)
  })

  it("takes the strongest for gardening and a cheap one for judging", () => {
    expect(chosen({})).toEqual({ access: "chatgpt", model: "gpt-6-astra" })
    expect(chosen({}, "judge")).toEqual({ access: "chatgpt", model: "gpt-6-luna" })
    expect(chosen({ provider: "claude" })).toEqual({ access: "claude", model: "opus" })
    expect(chosen({ provider: "openrouter", allowApiKeys: true }, "judge")).toEqual({
      access: "openrouter",
      model: "anthropic/claude-haiku-5.5",
    })
  })

  it("prefers the subscription the user is not working with", () => {
    const active = new Map([["openai-subscription", now - 60_000]] as const)
    expect(chosen({ userActiveAt: active })?.access).toBe("claude")
    const both = new Map([...active, ["anthropic-subscription", now - 60_000]] as const)
    expect(chosen({ userActiveAt: both })?.access).toBe("chatgpt")
    const longAgo = new Map([["openai-subscription", now - 7_200_000]] as const)
    expect(chosen({ userActiveAt: longAgo })?.access).toBe("chatgpt")
  })

  it("uses paid keys only when allowed and while there is money left", () => {
    const keyed = { states: states("openai", "anthropic") }
    expect(chosen(keyed)).toBeNull()
    expect(chosen({ ...keyed, allowApiKeys: true })?.access).toBe("openai")
    expect(chosen({ ...keyed, allowApiKeys: true, usdLeft: 0 })).toBeNull()
  })

  it("takes what the user names: a way, a model, or both", () => {
    expect(chosen({ configured: "claude/sonnet" })).toEqual({ access: "claude", model: "sonnet" })
    expect(chosen({ configured: "gpt-6.1-sol" })).toEqual({ access: "chatgpt", model: "gpt-6.1-sol" })
    expect(chosen({ provider: "openrouter", allowApiKeys: true, configured: "z-ai/glm-5" })).toEqual({
      access: "openrouter",
      model: "z-ai/glm-5",
    })
    const missing = chooseModel(view({ configured: "local/llama", states: states("chatgpt") }), "judge")
    expect(missing).toMatchObject({ chosen: null, why: expect.stringContaining("local is configured") })
  })

  it("passes over a pool that is stopped or wants to be left alone, and says why", () => {
    const state = {
      pool: "openai-subscription" as const,
      refusals: 1,
      refusedAt: now,
      blockedUntil: now + 1000,
      calm: 0,
      failures: 0,
      stoppedAt: null,
      reason: "Too fast.",
    }
    const blocked = chooseModel(view({ pools: [state] }), "gardener")
    expect(blocked.chosen?.access).toBe("claude")
    expect(blocked.candidates[0]).toMatchObject({ access: "chatgpt", usable: false })
    expect(chosen({ pools: [{ ...state, blockedUntil: now - 1 }] })?.access).toBe("chatgpt")
    expect(chosen({ pools: [{ ...state, blockedUntil: null, stoppedAt: now }] })?.access).toBe("claude")
  })

  it("asks nothing when told so, and says what would have to be done when nothing is ready", () => {
    expect(chooseModel(view({ provider: "none" }), "judge")).toMatchObject({ chosen: null, candidates: [] })
    const choice = chooseModel(view({ states: states() }), "judge")
    expect(choice.chosen).toBeNull()
    expect(choice.candidates.map(({ why }) => why)).toContain("chatgpt it is")
  })

  it("does not guess the model of a local server that names none", () => {
    expect(chosen({ provider: "local", localModel: undefined })).toBeNull()
  })
})
