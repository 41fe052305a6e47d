import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import type { Client } from "../../src/api/client.ts"
import type { Answer } from "../../src/api/contract/answers.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { sampleTools } from "../../testkit/sessions/sample-tools.ts"
import { expectSentence } from "../../testkit/sessions/told.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"

function open(databaseUrl: string) {
  const tools = throwawayFolder()
  const installation = createPlainInstallation({ databaseUrl, env: toolEnvironment(tools) })
  return { tools, ...installation }
}

/** How one line of a session looks in the files of a tool, by its number. */
const writers: Record<
  string,
  { file(id: number): string; head(id: number): string; line(id: number, at: number): string }
> = {
  "claude-code": {
    file: (id) => `claude/projects/-home-ada/session-${id}.jsonl`,
    head: () => "",
    line: (id, at) =>
      JSON.stringify({
        type: "user",
        uuid: `u${at}`,
        timestamp: time(at),
        cwd: "/home/ada",
        message: { role: "user", content: said(id, at) },
      }),
  },
  codex: {
    file: (id) => `codex/sessions/2026/11/15/rollout-2026-11-15T06-19-46-${uuid(id)}.jsonl`,
    head: (id) =>
      `${JSON.stringify({ timestamp: time(0), type: "session_meta", payload: { id: uuid(id), cwd: "/home/ada", source: "cli" } })}\n`,
    line: (id, at) =>
      JSON.stringify({
        timestamp: time(at),
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: said(id, at) }] },
      }),
  },
  "gemini-cli": {
    file: (id) => `home/.gemini/tmp/proj/chats/session-${id}.jsonl`,
    head: (id) => `${JSON.stringify({ sessionId: uuid(id), startTime: time(0), kind: "main" })}\n`,
    line: (id, at) =>
      JSON.stringify({ id: `m${at}`, timestamp: time(at), type: "user", content: said(id, at) }),
  },
  pi: {
    file: (id) => `pi/sessions/--home-ada--/2026_${uuid(id)}.jsonl`,
    head: (id) =>
      `${JSON.stringify({ type: "session", version: 3, id: uuid(id), timestamp: time(0), cwd: "/home/ada" })}\n`,
    line: (id, at) =>
      JSON.stringify({
        type: "message",
        id: `e${at}`,
        timestamp: time(at),
        message: { role: "user", content: [{ type: "text", text: said(id, at) }] },
      }),
  },
}

const begun = Date.now() - 3_600_000
const time = (at: number) => new Date(begun + at * 1000).toISOString()
const uuid = (id: number) => `01a1dddc-0000-4000-8000-${String(id).padStart(12, "0")}`
const said = (id: number, at: number) => `session ${id} says its sentence number ${at}`

/** Waits until the journal tells of so many turns. */
async function waitForTurns(client: Client, wanted: number): Promise<void> {
  const found = new AbortController()
  let turns = 0
  try {
    for await (const { kind, data } of client.follow({ after: 0 }, found.signal)) {
      if (kind === "session.read") turns += (data as { turns: number }).turns
      if (turns >= wanted) return
    }
  } finally {
    found.abort()
  }
  throw new Error(`the journal ended after ${turns} of ${wanted} turns`)
}

describeDatabases("Sessions through the program", (create) => {
  it("lists and shows them, with and without the daemon", async () => {
    const { tools, run, json, daemon } = open((await create()).url)
    sampleTools[1]?.write(join(tools, "codex"))
    sampleTools[6]?.write(join(tools, "pi"))
    const { sessions } = await json<Answer<"sessions">>("sessions")
    expect(sessions.map(({ tool }) => tool).sort()).toEqual(["codex", "codex", "codex", "pi"])
    const { client } = await daemon()
    await waitForTurns(client, 13)
    const file = join(tools, "pi", sampleTools[6]?.growing ?? "")
    const message = { role: "user", content: "said while the daemon runs" }
    const line = { type: "message", id: "late", timestamp: new Date().toISOString(), message }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
    await waitForTurns(client, 14)
    expect((await json<Answer<"sessions">>("sessions")).sessions).toHaveLength(4)
    expect((await json<Answer<"sessions">>("sessions", "--tool", "pi")).sessions).toHaveLength(1)
    expect((await json<Answer<"sessions">>("sessions", "--limit", "2")).sessions).toHaveLength(2)
    expect((await json<Answer<"sessions">>("sessions", "--status", "crashed")).sessions).toEqual([])
    expect((await json<Answer<"sessions">>("sessions", "--project", throwawayFolder())).sessions).toEqual([])
    const shown = await json<Answer<"session">>("sessions", "show", "pi:01a1dddb")
    expect(shown).toMatchObject({
      session: { tool: "pi", projectName: "tides", turns: 4, title: "run the demo command please" },
      turns: [
        { position: 0, role: "user", text: "run the demo command please" },
        { position: 1, role: "tool", tool: "bash" },
        { position: 2, role: "assistant" },
        { position: 3, role: "user", text: "said while the daemon runs" },
      ],
      next: null,
    })
    const text = await run("sessions", "show", shown.session.nativeId)
    expect(text.stdout).toMatch(/status\s+active since/)
    expect(text.stdout).toContain("$ echo hello-from-tool; ls\nhello-from-tool")
    expect((await run("sessions")).stdout).toMatch(/^\w{6}\s+pi\s+active\s+.*tides\s+4 turns\s+run the demo/m)
    expectSentence(await run("sessions", "show", "nothing"), 1, /There is no session nothing/)
    expectSentence(await run("sessions", "show", "codex:01a1ddd"), 2, /Several sessions begin or end with/)
    expect((await run("sessions", "--tool", "emacs")).code).toBe(2)
  })

  it("obeys the settings", async () => {
    const { tools, run, json } = open((await create()).url)
    sampleTools[6]?.write(join(tools, "pi"))
    await run("config", "set", "sessions.enabled", "false")
    expect((await json<Answer<"sessions">>("sessions")).sessions).toEqual([])
    await run("config", "set", "sessions.enabled", "true")
    await run("config", "set", "sessions.tools", '["codex"]')
    expect((await json<Answer<"sessions">>("sessions")).sessions).toEqual([])
    await run("config", "set", "sessions.tools", '["pi"]')
    await run("config", "set", "sessions.keep_days", "0")
    expect((await json<Answer<"sessions">>("sessions")).sessions).toMatchObject([{ tool: "pi", turns: 0 }])
    expectSentence(
      await run("config", "set", "sessions.tools", '["emacs"]'),
      2,
      /must be a list of claude-code/,
    )
  })

  it("loses nothing and doubles nothing of ten sessions at once, killed again and again", {
    timeout: 180_000,
  }, async () => {
    const { tools, daemon } = open((await create()).url)
    const random = createSeededRandom(7)
    const sessions = Array.from({ length: 10 }, (_, id) => {
      const tool = Object.keys(writers)[id % 4] ?? "pi"
      const writer = writers[tool]
      if (writer === undefined) throw new Error("no such tool")
      const file = join(tools, writer.file(id))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, writer.head(id))
      return { id, tool, file, writer, key: tool === "claude-code" ? `session-${id}` : uuid(id) }
    })
    const each = 80
    let written = 0
    /** What was not written yet of the last line of each. */
    const heldBack = new Map<string, string>()
    const writeMore = (lines: number) => {
      for (const { id, file, writer } of sessions) {
        const more = Array.from({ length: lines }, (_, index) => `${writer.line(id, written + index)}\n`)
        const text = (heldBack.get(file) ?? "") + more.join("")
        const cut = lines === 0 ? text.length : text.length - 40
        appendFileSync(file, text.slice(0, cut))
        heldBack.set(file, text.slice(cut))
      }
      written += lines
    }
    for (let kill = 0; kill < 3; kill += 1) {
      writeMore(each / 4)
      const running = await daemon()
      // Another moment each time, in the middle of reading; the last line of each file is torn until then.
      await waitForTurns(running.client, Math.ceil((kill + random.next()) * (each / 4) * 9) || 1)
      writeMore(0)
      running.process.kill("SIGKILL")
      await running.ended
    }
    writeMore(each - written)
    writeMore(0)
    const { client } = await daemon()
    await waitForTurns(client, each * sessions.length)
    for (const { id, tool, key } of sessions) {
      const { session, turns } = await client.session(`${tool}:${key}`)
      expect(turns.map(({ position, text }) => [position, text])).toEqual(
        Array.from({ length: each }, (_, at) => [at, said(id, at)]),
      )
      expect(session.turns).toBe(each)
    }
  })
})
