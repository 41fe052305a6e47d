import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { beginCycle, emptyReceipt, endCycle, saveMessage } from "../../src/attention/cycles.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { columnsOf } from "../../src/base/text/columns.ts"
import { configSchema } from "../../src/config/schema.ts"
import { mergeDuplicates } from "../../src/memory/garden/merge-and-link.ts"
import { requireMemory } from "../../src/memory/model/store/browse.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { statusBox } from "../../src/surfaces/cli/view/status-box.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"
import { add, expectSentence } from "../../testkit/sessions/told.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

/** Lets a cycle have run in an installation, which merged two memories into one; gives its id. */
async function runCycle({ paths }: Installation, [keep, drop]: readonly [string, string]): Promise<string> {
  const install: string = JSON.parse(readFileSync(paths.installFile, "utf8")).id
  const world = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...world, url: "", file: paths.databaseFile })
  const now = systemClock.now() - 720_000
  const by = { operation: "op_cycle", actor: "ambient" }
  const where = { install, random: systemRandom, now }
  const { id } = await db.write((transaction) =>
    beginCycle(transaction, where, { trigger: "queue", items: [] }, by),
  )
  const operation = `${id}-1`
  const pair = { keep: await requireMemory(db, keep), drop: await requireMemory(db, drop) }
  await mergeDuplicates({ ...world, db, config: configSchema.parse({}) }, [pair], {
    operation,
    actor: "ambient",
  })
  const receipt = {
    ...emptyReceipt(),
    deeds: [{ name: "duplicates merged", operation, changed: 2 }],
    tokens: { input: 12_345, cachedInput: 1000, output: 600 },
    costUsd: 0.0213,
    calls: 3,
    windows: [{ id: "5h", percent: 0.4 }],
    warnings: ["The rest waits."],
  }
  await db.write(async (transaction) => {
    const told = { cycle: id, position: 0, at: now }
    await saveMessage(transaction, told, { role: "user", text: "Look around." })
    const summary = "Two memories about 東京 were one."
    await endCycle(transaction, { id, now: now + 20_000 }, { status: "complete", summary, receipt }, by)
  })
  await db.close()
  return id
}

/** An installation with two memories that say the same, and a cycle that merged them. */
async function tended() {
  const installation = createPlainInstallation()
  const keep = await add(installation, "The staging port is 5433")
  const drop = await add(installation, "Staging listens on 5433")
  const graph = async () => {
    const { memories, edges, tags } = JSON.parse((await installation.run("memory", "export")).stdout)
    return { memories, edges, tags }
  }
  const before = await graph()
  return { ...installation, graph, before, cycle: await runCycle(installation, [keep, drop]) }
}

describe("The queue", () => {
  test("takes what is planned, shows it by priority, and lets it be cancelled", async () => {
    const { run, json } = createPlainInstallation()
    expect((await run("queue")).stderr).toContain("Nothing is planned")
    const added = await json<{ item: { id: string } }>(
      "queue",
      "add",
      "check",
      "the",
      "build",
      "--in",
      "2h60m",
    )
    await run("queue", "add", "look at the release", "--priority", "high", "--at", "2099-01-01 18:00").then(
      ({ stderr }) => expect(stderr).toContain("more than a year away"),
    )
    const planned = await run("queue", "add", "look at the release", "--priority", "high", "--project")
    expect(planned).toMatchObject({ code: 0, stderr: expect.stringContaining("for the next cycle") })
    const { items } = await json<Answer<"queue">>("queue", "list")
    expect(items).toMatchObject([
      { context: "look at the release", priority: "high", project: expect.stringContaining("/") },
      { context: "check the build", priority: "normal", project: null, id: added.item.id },
    ])
    const [, second] = items
    const ahead = Date.parse(second?.dueAt ?? "") - Date.parse(second?.createdAt ?? "")
    expect(Math.round(ahead / 60_000)).toBe(180)
    expect((await run("queue")).stdout).toMatch(
      /^\w{6,} +high +now +look at the release\n\w{6,} +normal +in 3 h/,
    )
    expect((await run("queue", "cancel", added.item.id)).stderr).toContain("Cancelled: check the build")
    expectSentence(
      await run("queue", "cancel", added.item.id),
      1,
      /is cancelled and can no longer be cancelled/,
    )
    expectSentence(await run("queue", "cancel", "q_nothing"), 1, /There is no q_nothing in the queue/)
    expectSentence(await run("queue", "add", "x", "--in", "1h", "--at", "18:00"), 2, /not both/)
    expectSentence(await run("queue", "add", "x", "--at", "2001-01-01"), 2, /is in the past/)
    expectSentence(await run("queue", "add", "x", "--at", "25:00"), 2, /--at takes a time such as 18:00/)
    expect((await run("queue", "add", "x", "--in", "soon")).code).toBe(2)
    expect((await json<Answer<"queue">>("queue")).items).toHaveLength(1)
  })

  test("keeps no secret that somebody plans with", async () => {
    const { run } = createPlainInstallation()
    const secret = ["ghp", "x7Kq2mVb9TfR4wLz8NcH1sYd6PjG3aEu5ZoQ"].join("_")
    await run("queue", "add", `renew the token ${secret} on Friday`)
    expect((await run("queue")).stdout).not.toContain(secret)
  })
})

describe("Tending", () => {
  test("is paused, resumed and trusted, with and without the daemon", async () => {
    const { run, json, daemonHere } = createPlainInstallation()
    const ambient = (...args: string[]) => json<Answer<"ambient">>(...args)
    expect(await ambient("pause")).toMatchObject({ pausedUntil: "for-ever" })
    expect(await json<Answer<"status">>("status")).toMatchObject({
      pausedUntil: "for-ever",
      status: "stopped",
    })
    expect((await run("status")).stdout).toContain("paused by you")
    const asked = Date.now()
    const { pausedUntil } = await ambient("pause", "--for", "2h")
    const begun = Date.parse(pausedUntil ?? "") - 120 * 60_000
    expect(begun).toBeGreaterThanOrEqual(asked)
    expect(begun).toBeLessThanOrEqual(Date.now())
    expect((await run("pause", "--until", "18:00")).stderr).toContain("until")
    expectSentence(await run("pause", "--for", "2h", "--until", "18:00"), 2, /Give --for or --until/)
    expect(await ambient("resume")).toMatchObject({ pausedUntil: null })
    expect(await ambient("trust", "work")).toMatchObject({ trust: { level: "work", said: "work" } })
    expect(await ambient("trust", "--revoke")).toMatchObject({
      trust: { level: "observe", said: null },
    })
    expectSentence(await run("wake"), 3, /The daemon is not running/)
    expectSentence(await run("wake", "--wait"), 3, /The daemon is not running/)
    await daemonHere()
    expect(await ambient("pause")).toMatchObject({ pausedUntil: "for-ever" })
    expect((await run("wake")).code).toBe(0)
  })

  test("wakes and tells what it did", async ({ skip }) => {
    const { run, json, daemonHere } = createPlainInstallation()
    await daemonHere()
    if ((await json<Answer<"status">>("status")).status === "stopped") skip("the daemon does not tend yet")
    const told = await run("wake", "--wait")
    expect(told).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/cycle +cycle_\w+\nstatus +complete/),
    })
    expect(await json<Answer<"judgeCycle">>("wake", "--wait")).toMatchObject({
      status: "complete",
      trigger: "command",
    })
  })

  test("answers a pause and its end with what holds from then on", async () => {
    const { client } = await createPlainInstallation().daemonHere()
    await expect.poll(async () => (await client.ambient()).nextWake, { timeout: 15_000 }).not.toBeNull()
    expect(await client.pause({})).toMatchObject({ status: "paused", pausedUntil: "for-ever" })
    expect(await client.status()).toMatchObject({ status: "paused" })
    expect(await client.resume()).toMatchObject({ status: "scheduled", pausedUntil: null })
  })

  test("shows its cycles, what they cost, and how to undo them", async () => {
    const { run, json, cycle } = await tended()
    expect((await run("cycles")).stdout).toMatch(/^\w{6,} +\d+ min ago +complete +queue +2 changes +Two mem/)
    expect(await json("cycles", "list", "--limit", "1")).toMatchObject({ cycles: [{ id: cycle }] })
    const { stdout } = await run("cycles", "show", cycle.slice(0, 20), "--transcript")
    for (const part of [
      "3 calls, 12,345 tokens in (1,000 cached), 600 out, $0.0213",
      "0.4 % of the 5h limit",
      "Two memories about 東京 were one.",
      `duplicates merged  2 changes  ${cycle}-1`,
      "Warning: The rest waits.",
      "Look around.",
    ])
      expect(stdout).toContain(part)
    expect(stdout).toMatch(new RegExp(`Undo all of it: .*reverie'? undo ${cycle}`))
    expect(await json<Answer<"judgeCycle">>("cycles", "show", cycle)).toMatchObject({
      id: cycle,
      messages: [{}],
    })
    expectSentence(await run("cycles", "show", "cycle_nothing"), 1, /There is no cycle cycle_nothing/)
  })

  test("is undone cycle by cycle to the exact graph, and brought back", async () => {
    const { run, json, cycle, graph, before } = await tended()
    const after = await graph()
    expect(after).not.toEqual(before)
    const undone = await json<{ operation: string; kept: object[] }>("undo", cycle)
    expect(undone).toMatchObject({ outcome: "undone", undid: cycle, operations: [`${cycle}-1`], kept: [] })
    expect(await graph()).toEqual(before)
    expectSentence(await run("undo", cycle), 1, /is already undone/)
    expectSentence(await run("cycles", "approve", cycle), 1, /was undone, so there is nothing to approve/)
    // The end of the id, as `cycles` shows it, names the cycle too.
    expectSentence(await run("undo", cycle.slice(-6)), 1, new RegExp(`${cycle} is already undone`))
    expect((await run("undo", undone.operation)).code).toBe(0)
    expect(await graph()).toEqual(after)
    const again = await json<{ operation: string; summary: string }>("undo", cycle.slice(-6))
    expect(again.summary).toBe(`all that ${cycle} changed`)
    expect(await graph()).toEqual(before)
    expect((await run("undo", again.operation)).code).toBe(0)
    expect((await run("cycles", "approve", cycle)).code).toBe(0)
  })
})

describe("The status line", () => {
  test("tells in one line what tending does and what is planned", async () => {
    const { run, daemonHere } = createPlainInstallation()
    const line = async () => {
      // A daemon on a busy machine may take longer than the line waits for it.
      for (;;) {
        const shown = (await run("statusline")).stdout.trim()
        if (shown !== "reverie: not answering") return shown
      }
    }
    expect(await line()).toBe("reverie: not running")
    const planned = await run("queue", "add", "look at the docs", "--in", "2d")
    expect(planned.stderr).toContain("so it waits: The daemon is not running.")
    await daemonHere()
    await run("pause", "--for", "3h")
    await run("queue", "add", "check the build", "--in", "1d")
    expect(await line()).toMatch(/^reverie: 0 memories · (paused 3 h|tending) · 2 queued$/)
  })
})

describe("The status", () => {
  /** What a terminal of that many columns shows, line by line, without colours unless they are asked for. */
  function atTerminal({ home }: Installation, columns: number, more: Record<string, string> = {}): string[] {
    // Node takes these for a wish to have no colours.
    const unwanted = new Set(["NO_COLOR", "NODE_DISABLE_COLORS", "FORCE_COLOR", "CI"])
    const rest = Object.fromEntries(Object.entries(process.env).filter(([name]) => !unwanted.has(name)))
    const env = { ...rest, REVERIE_HOME: home, REVERIE_DATABASE_URL: "", TERM: "xterm", ...more }
    const command = `stty cols ${columns}; '${program}' status`
    const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], { env, encoding: "utf8" })
    return stdout.replaceAll("\r", "").trimEnd().split("\n")
  }

  test("is a box of the terminal's width, and plain lines where there is none", async () => {
    const installation = await tended()
    await installation.run(
      "queue",
      "add",
      "check CI of 東京 🎉 after the release, and then all that it left behind",
    )
    for (const columns of [40, 60, 200]) {
      const lines = atTerminal(installation, columns, { NO_COLOR: "1" })
      const box = lines.slice(lines.findIndex((line) => line.startsWith("╭")))
      expect(box.join("\n")).not.toContain("\u001b")
      expect(box[0]).toContain("Tending")
      expect(box.at(-1)).toMatch(/^╰─+╯$/)
      for (const line of box) expect(columnsOf(line)).toBe(Math.min(columns, 76))
      expect(box.some((line) => /queue +1 item, next now: check/.test(line))).toBe(true)
    }
    expect(atTerminal(installation, 60).join("\n")).toContain("\u001b[")
    const narrow = atTerminal(installation, 39)
    expect(narrow.join("\n")).not.toMatch(/[╭│╰]/)
    // The path of the database above it is never broken within a word.
    const tending = narrow.slice(narrow.findIndex((line) => line.startsWith("  status ")))
    expect(tending.length).toBeGreaterThan(2)
    for (const line of tending) expect(columnsOf(line)).toBeLessThanOrEqual(39)
    const { stdout } = await installation.run("status")
    expect(stdout).not.toMatch(/[╭│]/)
    expect(stdout).not.toContain("\u001b")
    expect(stdout).toMatch(/last {5}\d+ min ago: Two memories about 東京 were one\./)
  })

  test("shows each limit in three parts, the tightest first", async () => {
    const { json } = await tended()
    const resetsAt = "2026-01-01T14:00:00.000Z"
    const windows = [
      { id: "week", user: 10, ambient: 2.5, remaining: 87.5, resetsAt },
      { id: "5h", user: 45, ambient: 12, remaining: 43, resetsAt },
    ]
    const budget = {
      pool: "anthropic-subscription" as const,
      mayRun: true,
      nextAt: null,
      rule: "",
      reason: "",
      windows,
    }
    const output = { width: 70, paint: (_style: unknown, text: string) => text } as never
    const status = {
      ...(await json<Answer<"status">>("status")),
      nextWake: "2026-01-01T12:18:00.000Z",
      inbox: { waiting: 2, urgent: 1 },
      budget,
    }
    const env = { command: "reverie" } as never
    const lines = statusBox({ output, clock: createManualClock(), env }, status).split("\n")
    expect(lines.slice(-6)).toEqual([
      expect.stringMatching(/^│ last/),
      expect.stringMatching(/^│ inbox +2 requests wait for you, 1 urgent; see `reverie inbox` +│$/),
      expect.stringMatching(/^│ next +in 18 min/),
      expect.stringMatching(/^│ 5h +█{7}▓{2}░{7} you 45 %, Reverie 12 %, left 43 % +│$/),
      expect.stringMatching(/^│ week +█{2}▓░{13} you 10 %, Reverie 3 %, left 88 % +│$/),
      expect.stringMatching(/^╰─+╯$/),
    ])
  })
})

describe("Beginning", () => {
  test("init tells what is there and writes a file in which the defaults hold", async () => {
    const { run, json, home } = createPlainInstallation()
    const file = join(home, "config.toml")
    const theirs = readFileSync(file, "utf8")
    expect((await run("init")).stderr).toContain("already exists and was not changed")
    expect(readFileSync(file, "utf8")).toBe(theirs)
    rmSync(file)
    const defaults = await json("config", "get")
    const { code, stdout, stderr } = await run("init")
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(`Wrote ${file}`) })
    expect(stdout).toMatch(/^settings +.*config\.toml$/m)
    expect(stdout).toMatch(/^Claude Code +/m)
    expect(stdout).toMatch(/^model for gardener +/m)
    expect(readFileSync(file, "utf8")).toContain("# enabled = true")
    expect((await run("config", "validate")).code).toBe(0)
    expect(await json("config", "get")).toEqual(defaults)
    expect((await run("config", "set", "ambient.enabled", "false")).code).toBe(0)
    expect((await run("config", "get", "ambient.enabled")).stdout.trim()).toBe("false")
    expect(await json("init")).toMatchObject({ outcome: "unchanged", paths: { configFile: file } })
  })

  test("the new commands are completed", async () => {
    const { run } = createPlainInstallation()
    const complete = async (...words: string[]) =>
      (await run("__complete", "--", ...words)).stdout.trim().split("\n")
    expect(await complete("")).toEqual(
      expect.arrayContaining(["cycles", "init", "pause", "queue", "resume", "service", "trust", "wake"]),
    )
    expect(await complete("queue", "")).toEqual(["add", "cancel", "help", "list"])
    expect(await complete("queue", "add", "--priority", "")).toEqual(["high", "low", "normal"])
    expect(await complete("service", "")).toEqual(["help", "install", "print", "status", "uninstall"])
    expect(await complete("service", "print", "--for", "")).toEqual(["launchd", "systemd"])
  })
})
