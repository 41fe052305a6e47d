import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import type { Client } from "../../src/api/client.ts"
import type { Answer } from "../../src/api/contract/answers.ts"
import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { growthOf } from "../../testkit/hostile/growth.ts"
import { shapes, writeLast, writeTranscript } from "../../testkit/hostile/hostile-transcripts.ts"
import { textFunctions } from "../../testkit/hostile/text-functions.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"
import { shareDaemon } from "../../testkit/program/shared-daemon.ts"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"

/** What the patterns of the text functions begin with, look for, or stop at. */
const triggers = [
  "<system-reminder a",
  "&lt;system-reminder ",
  "<system-reminder>",
  "<reverie-memory a",
  "&lt;reverie-memory ",
  "&amp;",
  "amp;",
  "&#6",
  "%25",
  "\\u005c",
  "<",
  "```",
  "[[",
  "(",
  '"',
  "「",
  "- [m_0123456789abcdef01] ",
  "\n",
  " ",
  "a",
  ".",
  "1. ",
  "`. ",
  ":",
  "/a",
  "=",
  "|",
  "\\",
  "<!-- ",
  "- a\n",
  "A: b\n",
  "a@a.",
  "http://a/",
  "\u200b",
  "\u{e0041}",
  "curl a|",
  "no, it's ",
  "-----BEGIN PRIVATE KEY-----",
]
/** Exports of others, one object a line: a line that is none takes its time to be refused, however many there are. */
const jsonTriggers = [
  "{",
  "[[",
  '"',
  "\n",
  '{"memory":',
  '{"memory":"a"}\n',
  '{"type":"entity","name":"a"}\n',
]
const triggersOf: Record<string, readonly string[]> = { readMem0: jsonTriggers, readMcp: jsonTriggers }
/** Ten times the text takes a hundred times as long where time grows with the square; noise alone has reached 22. */
const mostGrowth = 30
/** Far more than anybody waits on a busy machine, and far less than the seconds that such texts once took. */
const mostWaitMs = 3000

const runs = new Map<string, string>()

/** A text of a size, in one piece so that putting it together is not counted, and made only once for all functions. */
function runOf(trigger: string, size: number): string {
  const key = `${size} ${trigger}`
  // The end is what no pattern expects, so that those that look for an end have to give up.
  const made =
    runs.get(key) ?? Buffer.from(`${trigger.repeat(Math.ceil(size / trigger.length))}x\u0001x`).toString()
  runs.set(key, made)
  return made
}

describe("a long run of what a text function stumbles over", () => {
  test.each(Object.entries(textFunctions))(
    "given to %s",
    (name, run) => {
      for (const trigger of triggersOf[name] ?? triggers) {
        const growth = growthOf(run, (size) => runOf(trigger, size))
        expect(growth, JSON.stringify(trigger)).toBeLessThanOrEqual(mostGrowth)
      }
    },
    120_000,
  )
})

/** Reads the journal until there was enough of it. */
async function follow(client: Client, isEnough: (entry: EntryJson) => boolean): Promise<void> {
  const found = new AbortController()
  for await (const entry of client.follow({ after: 0 }, found.signal)) if (isEnough(entry)) break
  found.abort()
}

/** How long whoever asks meanwhile waits for an answer at most, in milliseconds. */
async function longestWait(client: Client, until: Promise<void>): Promise<number> {
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) {
    const began = performance.now()
    await client.daemon()
    longest = Math.max(longest, performance.now() - began)
    // Asking without a pause would be most of what the daemon does.
    await sleep(20)
  }
  await over
  return longest
}

describe("a transcript made to hold the daemon up", () => {
  const shared = shareDaemon()

  test.each(Object.keys(shapes))(
    "%s",
    async (shape) => {
      const { client, tools } = await shared()
      // Of some nothing is kept, so that only what is read after them tells that they are read.
      const last = `after-${shape}`
      const isRead = follow(
        client,
        ({ kind, subject }) => kind === "session.read" && subject === `claude-code:${last}`,
      )
      writeTranscript(join(tools, "claude"), shape, 400_000)
      writeLast(join(tools, "claude"), last)
      expect(await longestWait(client, isRead)).toBeLessThan(mostWaitMs)
      expect((await client.status()).sessions.skipped).toEqual([])
    },
    30_000,
  )
})

/** A session of jcode's that takes gigabytes to be taken apart. */
function writeBomb(tools: string): string {
  const folder = join(tools, "jcode", "sessions")
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "bomb.json")
  const many = "{},".repeat(16_000_000)
  writeFileSync(file, `{"id":"bomb","created_at":"2026-01-01T00:00:00Z","messages":[${many}{}]}`)
  return file
}

describe("a transcript made to end the daemon", () => {
  test("one that takes more memory than there is", async () => {
    const tools = throwawayFolder()
    const file = writeBomb(tools)
    const { daemon, json, run } = createPlainInstallation({ env: toolEnvironment(tools) })
    const { entry, client } = await daemon()
    expect(await entry("session.skipped")).toMatchObject({ subject: file })
    expect((await json<Answer<"status">>("status")).sessions.skipped).toMatchObject([{ place: file }])
    expect((await run("status")).stdout.replaceAll("reverie'", "reverie")).toContain(
      `reverie sessions retry '${file}'`,
    )
    expect((await run("sessions")).stderr).toContain(file)
    expect((await run("doctor")).stdout).toContain(`${file} is skipped`)
    await run("sessions", "retry", file)
    expect((await client.journal({ kind: "session.retried" })).entries).toHaveLength(1)
  }, 300_000)

  test("one that the daemon died of twice at the same place", async () => {
    const tools = throwawayFolder()
    const installation = createPlainInstallation({ env: toolEnvironment(tools) })
    writeTranscript(join(tools, "claude"), "short-lines", 1000)
    const place = healthyFile(tools)
    // What two daemons leave that were gone before they could read anything of it.
    for (let death = 0; death < 2; death += 1) {
      await installation.run("config", "set", "sessions.tools", death === 0 ? '["codex"]' : '["claude-code"]')
      leaveMark(installation, place)
      const running = await installation.daemon()
      await running.entry(death === 0 ? "session.failed" : "session.skipped")
      running.process.kill("SIGKILL")
      await running.ended
    }
    const { client } = await installation.daemon()
    expect((await client.status()).sessions.skipped).toMatchObject([{ place }])
    expect((await installation.run("status")).stdout).toContain(place)
  }, 30_000)

  test("a healthy one that is being read whenever somebody kills the daemon", async () => {
    const tools = throwawayFolder()
    const installation = createPlainInstallation({ env: toolEnvironment(tools) })
    writeTranscript(join(tools, "claude"), "short-lines", 1_000_000)
    const lines = readFileSync(healthyFile(tools), "utf8").split("\n").length - 1
    // The second and the third time it is killed at the beginning, without having got any further.
    for (const sign of ["session.read", "session.failed", "session.failed"]) {
      const running = await installation.daemon()
      await running.entry(sign)
      running.process.kill("SIGKILL")
      await running.ended
    }
    const { client } = await installation.daemon()
    const kinds = new Set<string>()
    let turns = 0
    await follow(client, ({ kind, data }) => {
      kinds.add(kind)
      if (kind === "session.read") turns += Number(Object(data).turns)
      return turns >= lines || kind === "session.skipped"
    })
    expect(turns).toBe(lines)
    expect(kinds).not.toContain("session.skipped")
    expect((await client.status()).sessions.skipped).toEqual([])
  }, 30_000)

  test("one that ends every process that reads it", async () => {
    const tools = throwawayFolder()
    const installation = createPlainInstallation({ env: toolEnvironment(tools) })
    writeTranscript(join(tools, "claude"), "short-lines", 1_000_000)
    leaveMark(installation, healthyFile(tools))
    const { client, process: daemon } = await installation.daemon()
    const isSkipped = follow(client, ({ kind }) => kind === "session.skipped")
    let isOver = false
    void isSkipped.then(() => {
      isOver = true
    })
    // As a fault in what Node is made of would: without a word, and at once.
    while (!isOver) {
      await client.daemon()
      for (const pid of childrenOf(daemon.pid)) process.kill(pid, "SIGKILL")
    }
    const { skipped } = (await client.status()).sessions
    expect(skipped).toMatchObject([{ place: healthyFile(tools) }])
    expect(skipped[0]?.reason).toContain("SIGKILL")
  }, 30_000)
})

function healthyFile(tools: string): string {
  return join(tools, "claude", "projects", "-work-demo", "short-lines.jsonl")
}

/** What a daemon leaves that died while reading a place. */
function leaveMark({ paths }: Installation, place: string): void {
  mkdirSync(paths.stateDir, { recursive: true })
  writeFileSync(paths.readingMarkFile, JSON.stringify({ tool: "claude-code", place, since: 1 }))
}

/** The processes that a process has started and that read transcripts. */
function childrenOf(parent: number | undefined): number[] {
  const told = spawnSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).stdout
  return told.split("\n").flatMap((line) => {
    const [pid, ppid] = line.trim().split(/\s+/)
    return Number(ppid) === parent && line.includes("session-reader") ? [Number(pid)] : []
  })
}
