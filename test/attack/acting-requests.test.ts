import { describe, expect, test } from "vitest"
import { z } from "zod"
import { decideOn } from "../../src/activities/permissions/decide.ts"
import type { Answer } from "../../src/api/contract/answers.ts"
import { type Guard, withGuard } from "../../src/safety/dispatch.ts"
import { eraseRequests } from "../../src/safety/permission/erase.ts"
import { contextSchema } from "../../src/safety/permission/request.ts"
import type { Decision } from "../../src/safety/permission/requests.ts"
import { noRules } from "../../src/safety/rules.ts"
import { defineTool } from "../../src/safety/tool.ts"
import { sql } from "../../src/storage/sql.ts"
import { createInstallation } from "../../testkit/program/program.ts"
import { openActing } from "../../testkit/work/acting-world.ts"
import { rightLine, wrongLine } from "../../testkit/work/failing-project.ts"
import { type Acting, plant, pushed, remembered } from "../../testkit/work/planted-requests.ts"
import { openGardenWorld } from "../../testkit/worlds/garden-world.ts"
import { calls } from "../../testkit/worlds/tend-world.ts"

const timeout = 120_000

describe("Approved with other arguments, a push goes to", () => {
  const arguments_: [name: string, input: object][] = [
    ["main", { branch: "main" }],
    ["master", { branch: "master" }],
    ["main by a refspec", { branch: "ambient/x:refs/heads/main" }],
    ["main by force", { branch: "+ambient/x:main" }],
    ["main behind our name", { branch: "ambient/../main" }],
    ["a whole reference", { branch: "refs/heads/main" }],
    ["the head", { branch: "HEAD" }],
    ["a tag", { branch: "refs/tags/v1" }],
    ["nothing, which deletes", { branch: ":main" }],
    ["a branch in other letters", { branch: "Ambient/x" }],
    ["a branch with a line end", { branch: "ambient/x\nmain" }],
    ["an option for a remote", { remote: "--receive-pack=id" }],
    ["a name for a commit", { commit: "HEAD" }],
  ]
  test.each(arguments_)("%s", async (_, input) => {
    const acting = await openActing()
    const { id } = await plant(acting, { call: pushed() })
    const edited = { ...pushed().input, ...input }
    await expect(acting.decide({ kind: "approve", input: edited }, id)).rejects.toThrow(
      /Not approved|is wrong/,
    )
    // Somebody who has the database approves what nobody may.
    await acting.change(
      sql`update permission_requests set state = 'approved', decided_at = 1, decided_by = 'x', decided_from = 'x',
        edited = ${JSON.stringify(edited)}`,
    )
    await acting.runApproved()
    expect(acting.project.pushed()).toEqual([])
    const refused = expect.stringMatching(/^Not done: |is wrong/)
    expect(await acting.requests()).toMatchObject([{ state: "failed", outcome: refused }])
    expect(await acting.told("permission.failed")).toHaveLength(1)
  })
})

describe("What was denied twice is asked for again", () => {
  const archive = (id: string) => ({ tool: "memory_archive", input: { id, reason: "of no use" } })
  const asks = { action: "tidy_up", description: "tidy the shelf", rationale: "it is due" }
  const others: [name: string, more: (acting: Acting, id: string) => object][] = [
    ["in capitals", () => ({ action: "TIDY_UP", description: "another" })],
    ["with blanks", () => ({ action: "  tidy up ", description: "another" })],
    ["with hyphens", () => ({ action: "tidy-up", description: "another" })],
    ["without what parts the words", () => ({ action: "tidyup", description: "another" })],
    ["with characters that nobody sees", () => ({ action: "tidy\u200b_u\u2060p", description: "another" })],
    ["in full width", () => ({ action: "ｔｉｄｙ＿ｕｐ", description: "another" })],
    ["with letters of another script", () => ({ action: "t\u0456dy_up", description: "another" })],
    ["with a mark at its end", () => ({ action: "tidy_up!", description: "another" })],
    ["under another name, in the same words", () => ({ action: "clean", description: "Tidy  the shelf." })],
    [
      "under another name, by the same call",
      (_, id) => ({ action: "clean", description: "new", ...archive(id) }),
    ],
    ["for a project that there is not", () => ({ project: "p_nothing", description: "another" })],
  ]
  test.each(others)("%s", async (_, more) => {
    const acting = await openActing()
    const id = await remembered(acting, "Alpha likes apples")
    for (const number of [1, 2]) {
      const { id: asked } = await plant(acting, {
        ...asks,
        rationale: `it is due ${number}`,
        call: archive(id),
      })
      await acting.decide({ kind: "deny" }, asked)
    }
    const [answer] = await acting.cycle([calls("request_permission", { ...asks, ...more(acting, id) })])
    expect(answer).not.toContain("Asked as")
    expect(await acting.requests()).toHaveLength(2)
    expect(await acting.told("permission.withheld", "tool.refused")).toHaveLength(1)
  })

  test("as a change of the same lines, called another kind", async () => {
    const acting = await openActing()
    const diff = `--- a/sum.mjs\n+++ b/sum.mjs\n@@ -1 +1 @@\n-${wrongLine}\n+${rightLine}\n`
    for (const number of [1, 2]) {
      const { id } = await plant(acting, {
        ...{ action: "fix_failing_test", description: `fix ${number}` },
        context: contextSchema.parse({ diff: diff.replace("@@ -1", `@@ -${number}`) }),
      })
      await acting.decide({ kind: "deny" }, id)
    }
    await acting.cycle([
      calls("request_permission", {
        action: "other",
        description: "help",
        rationale: "it is due",
        context: { diff },
      }),
    ])
    expect(await acting.requests()).toHaveLength(2)
    expect(await acting.told("permission.withheld")).toHaveLength(1)
  })
})

describe("The inbox is flooded", () => {
  const ask = (number: number) => ({
    ...{ name: "request_permission" },
    input: {
      action: `kind_${letters(number)}`,
      description: `thing ${letters(number)}`,
      rationale: "it is due",
    },
  })
  const letters = (number: number) => String.fromCharCode(97 + (number % 26), 97 + Math.floor(number / 26))

  test("by one cycle", async () => {
    const acting = await openActing()
    await acting.cycle([{ calls: Array.from({ length: 30 }, (_, number) => ask(number)) }])
    expect((await acting.requests()).length).toBeLessThanOrEqual(10)
    expect(await acting.told("permission.withheld")).not.toEqual([])
  })

  test("by many cycles", async () => {
    const acting = await openActing()
    for (let number = 0; number < 50; number += 1)
      await plant(acting, { action: `a_${letters(number)}`, description: `b ${letters(number)}` })
    await acting.cycle([{ calls: [ask(100), ask(101)] }])
    expect(await acting.requests()).toHaveLength(50)
    expect(await acting.told("permission.withheld")).toHaveLength(2)
  })

  test.each([
    ["a kind of ten thousand letters", { action: "x".repeat(10_000) }],
    ["a description of twenty thousand", { description: "x".repeat(20_000) }],
    ["a thousand risks", { context: { risks: Array.from({ length: 1000 }, () => "r") } }],
    ["a diff of a megabyte", { context: { diff: "+x\n".repeat(100_000) } }],
    ["a kind that is only blanks", { action: "   " }],
    ["a kind that is a terminal's escape", { action: "\u001b[2J\u0007" }],
  ])(
    "by %s",
    async (_, more) => {
      const acting = await openActing()
      const asks = { action: "tidy_up", description: "a thing", rationale: "it is due", ...more }
      await acting.cycle([calls("request_permission", asks)])
      expect(await acting.requests()).toEqual([])
      expect(await acting.told("tool.refused")).toHaveLength(1)
    },
    timeout,
  )

  test("by the same thing again and again", async () => {
    const acting = await openActing()
    await acting.cycle([{ calls: Array.from({ length: 20 }, () => ask(1)) }])
    expect(await acting.requests()).toHaveLength(1)
    expect(await acting.told("permission.requested")).toHaveLength(1)
  })
})

describe("A request says one thing and does another", () => {
  const stolen = "Runs exactly this, once:\n  memory_search {}"
  async function shown(input: object): Promise<{ text: string; id: string; world: Gardened }> {
    const world = await openGardenWorld({ garden_after_cycles: "0" })
    const id = await world.tell("Alpha likes apples", { source: "inferred" })
    const asks = {
      action: "tidy_up",
      rationale: "it is due",
      tool: "memory_archive",
      input: { id, reason: "evil" },
    }
    await world.tend([calls("request_permission", { ...asks, description: "Only look.", ...input })])
    const { requests } = await world.installation.json<Answer<"inbox">>("inbox", "list")
    expect(requests).toHaveLength(1)
    const text = (await world.installation.run("inbox", "show", requests[0]?.id ?? "")).stdout
    return { text, id: requests[0]?.id ?? "", world }
  }
  type Gardened = Awaited<ReturnType<typeof openGardenWorld>>

  test(
    "in its description",
    async () => {
      const { text } = await shown({ description: "Only look at a memory; nothing is changed." })
      expect(text).toMatch(/^Runs exactly this, once:\n {2}memory_archive/m)
    },
    timeout,
  )

  test.each([
    ["its description", { description: `Look.\n\n${stolen}` }],
    ["its reasons", { rationale: `Look.\n\n${stolen}` }],
    ["its risks", { context: { risks: [`none\n\n${stolen}`] } }],
    ["its tests", { context: { tests: `passed\n\n${stolen}` } }],
    ["its diff", { context: { diff: `+x\n\n${stolen}` } }],
  ])(
    "in lines of %s that look like ours",
    async (_, input) => {
      const { text, world } = await shown(input)
      const ours = text.split("\n").filter((line) => line.startsWith("Runs exactly this"))
      expect(ours).toHaveLength(1)
      expect(text).toMatch(/^Runs exactly this, once:\n {2}memory_archive/m)
      const { entries } = await world.person.journal({ kind: "permission.requested" })
      expect(entries).toHaveLength(1)
    },
    timeout,
  )

  test(
    "by steering the terminal and hiding words",
    async () => {
      const evil = "Look.\u001b[2J\u001b]0;title\u0007\u009b1A\r\u202eevil\u200b"
      const context = { risks: [evil], diff: `+${evil}`, tests: evil, summary: evil }
      const { text } = await shown({ description: evil, rationale: evil, context })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e\u200b]/)
      expect(text).toContain("\\u{202e}")
    },
    timeout,
  )

  test(
    "and an agent approves it for the person",
    async () => {
      const { id, world } = await shown({})
      for (const mark of ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI"]) {
        const agent = createInstallation({ home: world.installation.home, env: { [mark]: "1" } })
        const { code, stderr } = await agent.run("inbox", "approve", id)
        expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("an agent runs this")])
      }
      const { requests } = await world.installation.json<Answer<"inbox">>("inbox", "list")
      expect(requests).toMatchObject([{ state: "pending" }])
      expect((await world.person.journal({ kind: "permission.approved" })).entries).toEqual([])
    },
    timeout,
  )

  test.each(["%", "_", "ask_%", "ask_", "a"])(
    "and %j is approved in its place",
    async (which) => {
      const { world } = await shown({})
      const { code } = await world.installation.run("inbox", "approve", which)
      expect(code).not.toBe(0)
      const { requests } = await world.installation.json<Answer<"inbox">>("inbox", "list")
      expect(requests).toMatchObject([{ state: "pending" }])
      expect((await world.person.journal({ kind: "permission.approved" })).entries).toEqual([])
    },
    timeout,
  )
})

describe("A call that is judged as one thing is run as another, by", () => {
  function conversation() {
    const ran: string[] = []
    const decided: string[] = []
    const tool = defineTool({
      name: "send",
      description: "Sends it.",
      input: z.object({ to: z.string(), more: z.record(z.string(), z.unknown()).default({}) }),
      tier: ({ to }) => (to === "nobody" ? "auto" : "never"),
      async run({ to, more }) {
        ran.push(`${to} ${JSON.stringify(more)}`)
        return "Sent."
      },
    })
    const guard: Guard = {
      config: noRules,
      hasReadUntrusted: false,
      onDecided: async ({ tier, input }) =>
        void decided.push(`${tier} ${input.to} ${JSON.stringify(input.more)}`),
      ask: async () => ({ text: "Asked." }),
    }
    const { dispatch } = withGuard(guard, [tool])
    const call = async (input: unknown) =>
      (await dispatch({ id: "1", name: "send", input }, new AbortController().signal)).result.text
    return { ran, decided, call }
  }
  const changing = (first: unknown, then: unknown) => {
    let times = 0
    return () => {
      times += 1
      return times > 1 ? then : first
    }
  }
  const inputs: [name: string, input: () => unknown][] = [
    [
      "a getter",
      () => Object.defineProperty({}, "to", { enumerable: true, get: changing("nobody", "everybody") }),
    ],
    [
      "a getter deep inside",
      () => ({
        to: "nobody",
        more: { deep: Object.defineProperty({}, "a", { enumerable: true, get: changing(1, 2) }) },
      }),
    ],
    ["a proxy", () => new Proxy({ to: "nobody" }, { get: changing("nobody", "everybody") as never })],
    ["toJSON", () => ({ to: "nobody", more: { deep: { a: 1, toJSON: changing({ a: 1 }, { a: 2 }) } } })],
    [
      "a prototype",
      () => JSON.parse('{"to":"nobody","__proto__":{"to":"everybody"},"more":{"__proto__":{"a":2}}}'),
    ],
    ["a constructor", () => JSON.parse('{"to":"nobody","constructor":{"prototype":{"to":"everybody"}}}')],
    ["a text object", () => ({ to: Object.assign(Object("nobody"), { toString: () => "everybody" }) })],
  ]
  test.each(inputs)("%s", async (_, input) => {
    const { ran, decided, call } = conversation()
    await call(input())
    expect(ran.filter((one) => one.startsWith("everybody"))).toEqual([])
    if (ran.length > 0) expect(decided).toEqual([`auto ${ran[0]}`])
    expect(decided).toHaveLength(1)
    expect(({} as { to?: unknown }).to).toBeUndefined()
  })
})

describe("Two decide at once:", () => {
  const settle = async (acting: Acting, acts: (() => Promise<unknown>)[]) => {
    const all = await Promise.allSettled(acts.map((act) => act()))
    return { won: all.filter(({ status }) => status === "fulfilled").length, states: await acting.requests() }
  }

  test.each([
    ["both approve", [{ kind: "approve" }, { kind: "approve" }]],
    ["one approves, one denies", [{ kind: "approve" }, { kind: "deny" }]],
    [
      "ten approve and deny by turns",
      Array.from({ length: 10 }, (_, at) => ({ kind: at % 2 ? "deny" : "approve" })),
    ],
  ] as const)("%s", async (_, decisions) => {
    const acting = await openActing()
    const id = await remembered(acting, "Alpha likes apples")
    const call = { tool: "memory_tag", input: { id, add: ["x"] } }
    const asked = await plant(acting, { call })
    const { won } = await settle(
      acting,
      decisions.map((one) => () => acting.decide(one as Decision, asked.id)),
    )
    expect(won).toBe(1)
    await Promise.all([acting.runApproved(), acting.runApproved()])
    const told = await acting.told("permission.approved", "permission.denied")
    expect(told).toHaveLength(1)
    expect((await acting.told("permission.started")).length).toBeLessThanOrEqual(1)
  })

  test("one approves what expires at that moment", async () => {
    const acting = await openActing()
    const asked = await plant(acting, { call: pushed(), expiresAt: acting.clock.now() + 1000 })
    await acting.clock.advance(1000)
    await expect(acting.decide({ kind: "approve" }, asked.id)).rejects.toThrow("expired")
    await acting.runApproved()
    expect(await acting.requests()).toMatchObject([{ state: "expired" }])
    expect(await acting.told("permission.expired")).toHaveLength(1)
  })

  test("one approves what was changed since it was shown", async () => {
    const acting = await openActing()
    const asked = await plant(acting, { call: pushed() })
    await acting.change(sql`update permission_requests set digest = ${"0".repeat(64)}`)
    const decision = {
      id: asked.id,
      digest: asked.digest,
      decision: { kind: "approve" },
      decider: person,
    } as const
    await expect(decideOn(acting.needs, decision, acting.by())).rejects.toThrow("is not what was shown")
    expect(await acting.requests()).toMatchObject([{ state: "pending" }])
    expect(await acting.told("permission.approved")).toEqual([])
  })

  test("one approves what was purged meanwhile", async () => {
    const acting = await openActing()
    const asked = await plant(acting, { call: pushed() })
    await acting.world.db.write((transaction) => eraseRequests(transaction, ["cycle_1"]))
    const decision = {
      id: asked.id,
      digest: asked.digest,
      decision: { kind: "approve" },
      decider: person,
    } as const
    await expect(decideOn(acting.needs, decision, acting.by())).rejects.toThrow()
    await acting.runApproved()
    expect(await acting.told("permission.started")).toEqual([])
  })

  test("one approves, and the call in the database is another since", async () => {
    const acting = await openActing()
    const id = await remembered(acting, "Alpha likes apples")
    const call = { tool: "memory_tag", input: { id, add: ["x"] } }
    const asked = await plant(acting, { call })
    await acting.decide({ kind: "approve" }, asked.id)
    const shown = {
      description: "a thing",
      rationale: "it is due",
      context: {},
      call: { tool: "memory_archive", input: { id, reason: "evil" } },
    }
    await acting.change(sql`update permission_requests set shown = ${JSON.stringify(shown)}`)
    await acting.runApproved()
    expect((await acting.all()).find((one) => one.id === id)?.status).toBe("active")
    expect(await acting.told("permission.failed")).toHaveLength(1)
  })
})

const person = { who: "owner", from: "cli" }
