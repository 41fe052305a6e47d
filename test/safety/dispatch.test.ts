import { describe, expect, it } from "vitest"
import { z } from "zod"
import { type CallDecision, type Guard, withGuard, withReadOnlyGuard } from "../../src/safety/dispatch.ts"
import { noRules } from "../../src/safety/rules.ts"
import type { Effect, Tier } from "../../src/safety/tier.ts"
import { defineTool } from "../../src/safety/tool.ts"

const signal = new AbortController().signal

/** A conversation with one tool, and what became of its calls. */
function conversation(
  declared: { tier?: Tier; effects?: Effect[]; readsUntrusted?: boolean },
  rules: Partial<(typeof noRules)["safety"]> = {},
  hasReadUntrusted = false,
) {
  const ran: unknown[] = []
  const asked: CallDecision[] = []
  const decided: CallDecision[] = []
  const tool = defineTool({
    name: "do_it",
    description: "Does it.",
    input: z.object({ what: z.string().default("x"), deep: z.object({ where: z.string() }).optional() }),
    tier: declared.tier ?? "auto",
    effects: () => declared.effects ?? [],
    readsUntrusted: declared.readsUntrusted ?? false,
    async run(input) {
      ran.push(input)
      return "Did it."
    },
  })
  const guard: Guard = {
    config: { safety: { ...noRules.safety, ...rules } },
    hasReadUntrusted,
    onDecided: async (one) => void decided.push(one),
    async ask(one) {
      asked.push(one)
      return { text: "Asked." }
    },
  }
  const { dispatch } = withGuard(guard, [tool])
  const call = async (input: unknown = {}) =>
    (await dispatch({ id: "1", name: "do_it", input }, signal)).result.text
  return { call, ran, asked, decided, guard }
}

const push = { kind: "push", remote: "origin", branch: "ambient/fix" } as const

describe("Dispatch", () => {
  it("runs what is auto, asks about what is ask, refuses what is never, and writes each decision down", async () => {
    for (const [tier, text, runs, asks] of [
      ["auto", "Did it.", 1, 0],
      ["ask", "Asked.", 0, 1],
      ["never", "Not done: do_it is never allowed.", 0, 0],
    ] as const) {
      const { call, ran, asked, decided } = conversation({ tier })
      expect(await call()).toBe(text)
      expect([ran.length, asked.length, decided.map((one) => one.tier)]).toEqual([runs, asks, [tier]])
    }
  })

  it.each([
    ["promotes a tool", { tier: "ask" }, { allow_without_permission: ["do_it"] }, {}, "auto"],
    [
      "promotes by argument",
      { tier: "ask" },
      { allow_without_permission: ["do_it(what=npm *)"] },
      { what: "npm test" },
      "auto",
    ],
    [
      "leaves another argument",
      { tier: "ask" },
      { allow_without_permission: ["do_it(what=npm *)"] },
      { what: "rm" },
      "ask",
    ],
    [
      "reads an argument inside another",
      { tier: "ask" },
      { allow_without_permission: ["do_it(deep.where=a*)"] },
      { deep: { where: "abc" } },
      "auto",
    ],
    ["demotes a tool", { tier: "auto" }, { require_permission: ["do_*"] }, {}, "ask"],
    [
      "demotes before it promotes",
      { tier: "ask" },
      { require_permission: ["do_it"], allow_without_permission: ["do_it"] },
      {},
      "ask",
    ],
    ["forbids a tool", { tier: "auto" }, { never: ["do_it"] }, {}, "never"],
    [
      "forbids before it promotes",
      { tier: "ask" },
      { never: ["*"], allow_without_permission: ["*"] },
      {},
      "never",
    ],
    [
      "does not lift what a tool never does",
      { tier: "never" },
      { allow_without_permission: ["*"] },
      {},
      "never",
    ],
    [
      "does not weaken what a tool never does by asking",
      { tier: "never" },
      { require_permission: ["*"] },
      {},
      "never",
    ],
    [
      "lets a named remote be pushed to",
      { tier: "ask", effects: [push] },
      { allow_push_to: ["orig*"] },
      {},
      "auto",
    ],
    ["asks for another remote", { tier: "ask", effects: [push] }, { allow_push_to: ["upstream"] }, {}, "ask"],
    [
      "asks when a push comes with a message",
      { tier: "ask", effects: [push, { kind: "message", to: "all" }] },
      { allow_push_to: ["*"] },
      {},
      "ask",
    ],
  ] as const)("%s", async (_, declared, rules, input, tier) => {
    const { call, decided } = conversation(
      declared as unknown as Parameters<typeof conversation>[0],
      rules as unknown as Parameters<typeof conversation>[1],
    )
    await call(input)
    expect(decided.map((one) => one.tier)).toEqual([tier])
  })

  it.each([
    ["force-push", { ...push, force: true }],
    ["deleting a remote branch", { ...push, deletes: true }],
    ["main", { ...push, branch: "main" }],
    ["master", { ...push, branch: "master" }],
    ["main behind our name", { ...push, branch: "ambient/../main" }],
    ["a refspec", { ...push, branch: "ambient/x:main" }],
    ["a forced refspec", { ...push, branch: "+ambient/x" }],
    ["a full ref", { ...push, branch: "refs/heads/main" }],
    ["an option for a remote", { ...push, remote: "--upload-pack=sh" }],
    ["outside by ..", { kind: "write", path: "../x", root: "/w" }],
    ["outside by .. in the middle", { kind: "write", path: "a/../../x", root: "/w" }],
    ["an absolute path", { kind: "write", path: "/etc/passwd", root: "/w" }],
    ["home", { kind: "write", path: "~/.bashrc", root: "/w" }],
    [".git", { kind: "write", path: ".git/hooks/pre-commit", root: "/w" }],
    [".git in other letters", { kind: "write", path: ".GiT/config", root: "/w" }],
    [".git in wide letters", { kind: "write", path: ".ｇｉｔ/config", root: "/w" }],
    [".git with a dot behind it", { kind: "write", path: ".git./config", root: "/w" }],
    ["an env file", { kind: "write", path: "app/.env", root: "/w" }],
    ["a key", { kind: "write", path: "deploy.pem", root: "/w" }],
    ["an ssh folder", { kind: "write", path: ".ssh/config", root: "/w" }],
    ["safety itself", { kind: "safety", what: "rules" }],
  ] as [string, Effect][])("never lets %s through, whatever is configured", async (_, effect) => {
    const { call, ran, asked, decided } = conversation(
      { tier: "auto", effects: [effect] },
      { allow_without_permission: ["*"], allow_push_to: ["*"] },
    )
    expect(await call()).toMatch(/^Not done: /)
    expect([ran, asked]).toEqual([[], []])
    expect(decided).toMatchObject([{ tier: "never" }])
  })

  it("lets nothing leave the machine unasked once the conversation has read untrusted text", async () => {
    const outward = { tier: "auto", effects: [{ kind: "message", to: "all" }] } as const
    expect(await conversation({ ...outward, effects: [...outward.effects] }).call()).toBe("Did it.")
    const tainted = conversation(
      { ...outward, effects: [...outward.effects] },
      { allow_without_permission: ["*"] },
      true,
    )
    expect(await tainted.call()).toBe("Asked.")
    const reading = conversation({ readsUntrusted: true })
    await reading.call()
    expect(reading.guard.hasReadUntrusted).toBe(true)
  })

  it("runs exactly the input that was classified, and nothing with a wrong one", async () => {
    const { call, ran, decided } = conversation({})
    await call({ what: "a" })
    expect(ran[0]).toBe(decided[0]?.input)
    expect(Object.isFrozen(ran[0])).toBe(true)
    expect(await call({ what: 3 })).toContain("The input of do_it is wrong")
    expect(ran).toHaveLength(1)
  })

  it("means no when it cannot decide or cannot write the decision down", async () => {
    const { call, ran, guard } = conversation({})
    guard.onDecided = async () => {
      throw new Error("disk full")
    }
    expect(await call()).toBe("Not done: it could not be decided whether do_it may run.")
    expect(ran).toEqual([])
  })

  it("lets a conversation that only answers do nothing that leaves the machine or needs a person", async () => {
    const ran: string[] = []
    const tool = (name: string, tier: Tier, effects: Effect[] = []) =>
      defineTool({
        name,
        description: "",
        input: z.object({}),
        tier,
        effects: () => effects,
        async run() {
          ran.push(name)
          return "ran"
        },
      })
    const { dispatch } = withReadOnlyGuard([
      tool("read", "auto"),
      tool("ask", "ask"),
      tool("post", "auto", [push]),
    ])
    for (const name of ["read", "ask", "post", "other"]) await dispatch({ id: "1", name, input: {} }, signal)
    expect(ran).toEqual(["read"])
  })
})
