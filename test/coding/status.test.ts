import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { processStartTime } from "../../src/base/processes.ts"
import { judgeStatus } from "../../src/coding/sessions/status.ts"
import { presence } from "../../src/sessions/presence.ts"
import { closeSession } from "../../src/sessions/save-session.ts"
import { sampleTools } from "../../testkit/sessions/sample-tools.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openSessionWorld, type SessionWorld } from "../../testkit/worlds/session-world.ts"

const minute = 60_000

function say({ homes }: SessionWorld, id: string, text: string, more: object = {}): void {
  const file = join(homes.claude, "projects/-home-ada", `${id}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  const timestamp = new Date().toISOString()
  const uuid = `u${Math.random()}`
  const message = { role: "user", content: text }
  appendFileSync(
    file,
    `${JSON.stringify({ type: "user", timestamp, uuid, cwd: "/home/ada", message, ...more })}\n`,
  )
}

/** What Claude Code writes while a session runs. */
function register({ homes }: SessionWorld, sessionId: string, pid: number, more: object = {}): string {
  const file = join(homes.claude, "sessions", `${pid}.json`)
  mkdirSync(dirname(file), { recursive: true })
  const pidDomain = `linux:machine:${readlinkSync("/proc/self/ns/pid")}`
  const entry = { pid, sessionId, procStart: processStartTime(pid), pidDomain, status: "busy", ...more }
  writeFileSync(file, JSON.stringify(entry))
  return file
}

/** A process that holds a file open, or nothing. */
async function startProcess(file = "/dev/null") {
  const child = spawn("sh", ["-c", `exec 9>>"$1"; echo ready; exec sleep 600`, "sh", file])
  onTestFinished(() => void child.kill("SIGKILL"))
  await once(child.stdout, "data")
  return {
    pid: child.pid ?? 0,
    async kill() {
      child.kill("SIGKILL")
      await once(child, "exit")
    },
  }
}

async function statusOf(world: SessionWorld, id: string): Promise<string | undefined> {
  await world.ingest()
  return (await world.sessions()).find((session) => session.id === id)?.status
}

describe("How a session stands", () => {
  const now = 10_000_000_000
  const ago = (quietMs: number) => ({ changedAt: now - quietMs, now })
  const alive = { state: "alive", isBusy: false } as const

  it.each([
    ["its tool says so", { phase: "closed", process: alive, ...ago(0) }, "closed"],
    ["its tool says so", { phase: "crashed", process: alive, ...ago(0) }, "crashed"],
    ["something just happened", { phase: "waiting", process: { state: "unknown" }, ...ago(1000) }, "active"],
    [
      "its program is busy",
      { phase: "working", process: { ...alive, isBusy: true }, ...ago(600 * minute) },
      "active",
    ],
    ["its program only waits", { phase: "waiting", process: alive, ...ago(10 * minute) }, "idle"],
    [
      "its program ended after its work",
      { phase: "waiting", process: { state: "gone" }, ...ago(minute) },
      "closed",
    ],
    [
      "its program ended in the middle",
      { phase: "working", process: { state: "gone" }, ...ago(minute) },
      "crashed",
    ],
    [
      "its program left its sign",
      { phase: "waiting", process: { state: "crashed" }, ...ago(minute) },
      "crashed",
    ],
    [
      "nobody knows, for a while",
      { phase: "waiting", process: { state: "unknown" }, ...ago(30 * minute) },
      "idle",
    ],
    [
      "nobody knows, for long",
      { phase: "waiting", process: { state: "unknown" }, ...ago(180 * minute) },
      "closed",
    ],
    [
      "it broke off long ago",
      { phase: "working", process: { state: "unknown" }, ...ago(40 * minute) },
      "crashed",
    ],
  ] as const)("because %s", (_, signs, expected) => {
    expect(judgeStatus(signs)).toBe(expected)
  })
})

describeDatabases("The life of a session", (create) => {
  it("is seen by Claude Code's own list of what runs", async () => {
    const world = await openSessionWorld(await create())
    const id = "claude-code:s1"
    const process = await startProcess()
    say(world, "s1", "a long task")
    const entry = register(world, "s1", process.pid)
    expect(await statusOf(world, id)).toBe("active")
    await world.clock.advance(60 * minute)
    expect(await statusOf(world, id)).toBe("active")
    register(world, "s1", process.pid, { status: "idle" })
    expect(await statusOf(world, id)).toBe("idle")
    rmSync(entry)
    expect(await statusOf(world, id)).toBe("closed")
    expect(await world.kinds(id)).toEqual(["session.started", "session.read", "session.closed"])
  })

  it("ends in a crash where the process is gone and its sign stayed", async () => {
    const world = await openSessionWorld(await create())
    const process = await startProcess()
    say(world, "s1", "a question")
    say(world, "s1", "", { type: "assistant", message: { role: "assistant", content: "an answer" } })
    register(world, "s1", process.pid)
    await world.ingest()
    await process.kill()
    await world.clock.advance(minute)
    expect(await statusOf(world, "claude-code:s1")).toBe("crashed")
  })

  it("is not mistaken for another process of the same number, or one of another container", async () => {
    const world = await openSessionWorld(await create())
    say(world, "s1", "a question")
    say(world, "s2", "a question")
    const other = await startProcess()
    register(world, "s1", other.pid, { procStart: "1" })
    register(world, "s2", (await startProcess()).pid, { procStart: "1", pidDomain: "linux:x:pid:[1]" })
    await world.ingest()
    await world.clock.advance(minute)
    expect(await statusOf(world, "claude-code:s1")).toBe("crashed")
    expect(await statusOf(world, "claude-code:s2")).toBe("active")
  })

  it("ends where the tool takes its sign away, and goes on when something is said again", async () => {
    const world = await openSessionWorld(await create())
    const id = "claude-code:s1"
    const process = await startProcess()
    say(world, "s1", "a question")
    say(world, "s1", "", { type: "assistant", message: { role: "assistant", content: "an answer" } })
    const entry = register(world, "s1", process.pid)
    await world.ingest()
    rmSync(entry)
    await world.clock.advance(minute)
    expect(await statusOf(world, id)).toBe("closed")
    say(world, "s1", "", { type: "mode", mode: "normal", message: undefined })
    expect(await statusOf(world, id)).toBe("closed")
    register(world, "s1", process.pid)
    say(world, "s1", "one thing more")
    expect(await statusOf(world, id)).toBe("active")
    expect(await world.kinds(id)).toEqual([
      "session.started",
      "session.read",
      "session.closed",
      "session.read",
      "session.resumed",
    ])
  })

  it("is seen by who holds a rollout of Codex open", async () => {
    const world = await openSessionWorld(await create())
    sampleTools[1]?.write(world.homes.codex)
    const folder = join(world.homes.codex, "sessions/2026/11/15")
    const name = readdirSync(folder).find((one) => one.includes("01a1dddc-ac66")) ?? ""
    const process = await startProcess(join(folder, name))
    const unfinished = "codex:01a1dddc-ac66-7f31-9799-2d784f0d1739"
    await world.ingest()
    await world.clock.advance(10 * minute)
    expect(await statusOf(world, unfinished)).toBe("idle")
    expect(await statusOf(world, "codex:01a1ddd9-ce75-7401-a37e-03cbe8e1d280")).toBe("closed")
    await process.kill()
    expect(await statusOf(world, unfinished)).toBe("crashed")
  })

  it("is what jcode says", async () => {
    const world = await openSessionWorld(await create())
    sampleTools.at(-1)?.write(world.homes.jcode)
    expect(await statusOf(world, "jcode:session_fox_1770561022000")).toBe("crashed")
  })

  it("can be ended by who knows", async () => {
    const world = await openSessionWorld(await create())
    say(world, "s1", "a question")
    await world.ingest()
    const by = { operation: "op_test", actor: "hook" }
    const now = world.clock.now()
    expect(await closeSession(world.db, "claude-code:s1", { now, by })).toBe(true)
    expect(await closeSession(world.db, "claude-code:s1", { now, by })).toBe(false)
    expect(await closeSession(world.db, "claude-code:unknown", { now, by })).toBe(false)
    expect(await world.kinds("claude-code:s1")).toContain("session.closed")
  })
})

describeDatabases("Presence", (create) => {
  it("tells where the user is at work, and when they last said something", async () => {
    const world = await openSessionWorld(await create())
    const look = () => presence(world.db, world.install, world.clock.now())
    expect(await look()).toEqual({ active: [], lastUserAt: null })
    const saidAt = Date.now()
    say(world, "s1", "a question", { timestamp: new Date(saidAt).toISOString() })
    await world.ingest()
    expect(await look()).toEqual({
      active: [
        { session: "claude-code:s1", tool: "claude-code", project: expect.any(String), lastAt: saidAt },
      ],
      lastUserAt: saidAt,
    })
    await world.clock.advance(3 * 60 * minute)
    await world.ingest()
    expect(await look()).toEqual({ active: [], lastUserAt: saidAt })
  })

  it("also knows when nothing of what was said is kept", async () => {
    const world = await openSessionWorld(await create(), { config: { sessions: { keep_days: 0 } } })
    say(world, "s1", "a question")
    await world.ingest()
    expect(await presence(world.db, world.install, world.clock.now())).toMatchObject({
      active: [{ session: "claude-code:s1" }],
      lastUserAt: expect.any(Number),
    })
  })
})
