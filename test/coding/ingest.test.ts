import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import zlib from "node:zlib"
import { expect, it } from "vitest"
import { ingestOnce } from "../../src/activities/read-sessions/ingesting.ts"
import type { Database } from "../../src/storage/database.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import {
  opencodeRows,
  openOpencodeDatabase,
  putRow,
  sampleTools,
} from "../../testkit/sessions/sample-tools.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openSessionWorld, type SessionWorld } from "../../testkit/worlds/session-world.ts"

const [claude, codex, opencode, , gemini, , pi, jcode] = sampleTools
const codexFile = "sessions/2026/11/15/rollout-2026-11-15T06-19-46-01a1dddc-a1c7-70d0-994b-4b8b2ca8bf1c.jsonl"
const codexId = "codex:01a1dddc-a1c7-70d0-994b-4b8b2ca8bf1c"
const secret = "AKIAQ7RXM2ZKT4WPN5LC"

function writeAll({ homes }: SessionWorld): void {
  claude?.write(homes.claude)
  codex?.write(homes.codex)
  opencode?.write(homes.opencode)
  gemini?.write(homes.gemini)
  pi?.write(homes.pi)
  jcode?.write(homes.jcode)
}

/** One line of a session of Claude Code in a folder. */
function line(content: unknown, more: Record<string, unknown> = {}) {
  const at = new Date().toISOString()
  return `${JSON.stringify({ type: "user", timestamp: at, message: { role: "user", content }, uuid: `u${Math.random()}`, ...more })}\n`
}

function claudeFile({ homes }: SessionWorld, id = "s1"): string {
  const file = join(homes.claude, "projects/-home-ada/", `${id}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  return file
}

/** Everything the database holds, as one text. */
async function everything({ db }: SessionWorld): Promise<string> {
  const tables = [sql`select * from turns`, sql`select * from sessions`, sql`select * from read_positions`]
  const rows = [...tables, sql`select * from journal`].map((query) => db.read(query))
  return JSON.stringify(await Promise.all(rows), (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  )
}

describeDatabases("Reading sessions", (create) => {
  it("keeps the sessions of all tools, each turn once and in its place", async () => {
    const world = await openSessionWorld(await create())
    writeAll(world)
    await world.ingest()
    const sessions = await world.sessions()
    expect(sessions.map(({ id }) => id).sort()).toEqual([
      "claude-code:0b9c1d2e-0000-4000-8000-000000000001",
      "claude-code:19882d02-a3f9-45e6-aeea-a8bbe0eb09d5",
      "claude-code:7fb6e147-7e21-4817-843a-deb3cee48870",
      "claude-code:f456ffe0-940f-49dc-8013-ffd5ca69624e",
      "codex:01a1ddd9-ce75-7401-a37e-03cbe8e1d280",
      "codex:01a1dddc-a1c7-70d0-994b-4b8b2ca8bf1c",
      "codex:01a1dddc-ac66-7f31-9799-2d784f0d1739",
      "gemini-cli:2c39f0d1-2b29-4e68-abe4-42a7b4cc05af",
      "jcode:session_fox_1770561022000",
      "opencode:ses_e22255d34ffea3i8Kr7rYoF8aH",
      "pi:01a1dddb-4489-7d79-8f3e-963e9b6c2af1",
    ])
    expect(sessions.find(({ id }) => id === codexId)).toMatchObject({
      folder: "/home/ada/src/tides",
      branch: "master",
      title: expect.stringMatching(/^No, always use pnpm/),
      turns: 6,
      extractedTurns: 0,
    })
    const turns = await world.turns(codexId)
    expect(turns.map(({ position, role }) => [position, role])).toEqual([
      [0, "user"],
      [1, "tool"],
      [2, "tool"],
      [3, "assistant"],
      [4, "user"],
      [5, "assistant"],
    ])
    expect(turns[2]).toMatchObject({
      tool: "exec_command",
      isError: true,
      text: "$ cat README.md; exit 3\n# demo",
    })
    expect(await world.kinds(codexId)).toEqual(["session.started", "session.read"])
    const before = await everything(world)
    await world.ingest()
    expect(await everything(world)).toBe(before)
    expect(world.logged).toEqual([])
  })

  it("keeps no secrets: not in turns, titles, commands that wait for their answer, or the journal", async () => {
    const world = await openSessionWorld(await create())
    writeAll(world)
    const use = { type: "tool_use", id: "t1", name: "Bash", input: { command: `deploy --key ${secret}` } }
    const message = { role: "assistant", content: [use] }
    const file = claudeFile(world)
    writeFileSync(file, line(`use ${secret} to deploy the site`, { cwd: "/home/ada" }))
    appendFileSync(file, line("", { type: "assistant", message }))
    await world.ingest()
    appendFileSync(file, line([{ type: "tool_result", tool_use_id: "t1", content: "deployed" }]))
    await world.ingest()
    expect((await world.turns("claude-code:s1")).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^use \[.*removed\] to deploy the site$/),
      expect.stringMatching(/^\$ deploy --key \[.*removed\]\ndeployed$/),
    ])
    expect(await everything(world)).not.toContain(secret)
  })

  it("keeps no value of a project's .env file, not even in a command that waits for its answer", async () => {
    const world = await openSessionWorld(await create())
    const folder = throwawayFolder()
    writeFileSync(join(folder, ".env"), "TIDE_PASSWORD=correct-horse-battery-9\n")
    const use = {
      type: "tool_use",
      id: "t1",
      name: "Bash",
      input: { command: "login correct-horse-battery-9" },
    }
    const message = { role: "assistant", content: [{ type: "text", text: "I sign in." }, use] }
    writeFileSync(claudeFile(world), line("", { type: "assistant", message, cwd: folder }))
    await world.ingest()
    expect(await world.turns("claude-code:s1")).toHaveLength(1)
    expect(await everything(world)).not.toContain("correct-horse")
  })

  it("never keeps what Reverie itself put before the agent", async () => {
    const world = await openSessionWorld(await create())
    const file = claudeFile(world)
    const ours = '<reverie-memory id="x" v="1">\nMEMORY-OF-OURS\n</reverie-memory>'
    const call = (id: string, name: string, input: object) =>
      line("", {
        type: "assistant",
        message: { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
      })
    const answer = (id: string) =>
      line([{ type: "tool_result", tool_use_id: id, content: `found: MEMORY-OF-OURS ${id}` }])
    writeFileSync(
      file,
      [
        line(`${ours}\nplease fix the tides`),
        line(ours),
        call("t1", "mcp__reverie__memory_search", { query: "tides" }),
        answer("t1"),
        call("t2", "Bash", { command: "cd x && reverie memory search tides" }),
        answer("t2"),
        call("t3", "Bash", { command: "ls reverie" }),
        line([{ type: "tool_result", tool_use_id: "t3", content: "a file" }]),
        line(`<hook_context>MEMORY-OF-OURS</hook_context> and the docs`),
        line(`unfinished <reverie-memory id="y"> MEMORY-OF-OURS`),
      ].join(""),
    )
    await world.ingest()
    expect((await world.turns("claude-code:s1")).map(({ text }) => text)).toEqual([
      "please fix the tides",
      "$ ls reverie\na file",
      "and the docs",
      "unfinished",
    ])
    expect(await everything(world)).not.toContain("MEMORY-OF-OURS")
  })

  it("doubles nothing when files are cut, written anew, put aside or packed", async () => {
    const world = await openSessionWorld(await create())
    codex?.write(world.homes.codex)
    await world.ingest()
    const before = await world.turns(codexId)
    const file = join(world.homes.codex, codexFile)
    const whole = readFileSync(file)
    truncateSync(file, 3000)
    await world.ingest()
    writeFileSync(file, whole)
    await world.ingest()
    const aside = join(world.homes.codex, "archived_sessions", codexFile.replace(/^.*\//, ""))
    mkdirSync(dirname(aside), { recursive: true })
    renameSync(file, aside)
    await world.ingest()
    writeFileSync(`${file}.zst`, zlib.zstdCompressSync(whole))
    rmSync(aside)
    await world.ingest()
    await world.ingest()
    expect(await world.turns(codexId)).toEqual(before)
    expect((await world.sessions()).find(({ id }) => id === codexId)).toMatchObject({ turns: 6 })
  })

  it("reads packed transcripts that it never saw unpacked", async () => {
    const world = await openSessionWorld(await create())
    codex?.write(world.homes.codex)
    const file = join(world.homes.codex, codexFile)
    writeFileSync(`${file}.zst`, zlib.zstdCompressSync(readFileSync(file)))
    rmSync(file)
    await world.ingest()
    expect(await world.turns(codexId)).toHaveLength(6)
  })

  it("lets two readers at once store everything once", async () => {
    const store = await create()
    const world = await openSessionWorld(store)
    const other = await openSessionWorld(store, { tools: world.tools })
    writeAll(world)
    await Promise.all([world.ingest(), other.ingest(), world.ingest()])
    const counted = await world.db.read<{ turns: number }>(sql`select count(*) as turns from turns`)
    expect(Number(counted[0]?.turns)).toBe(37)
    for (const session of await world.sessions()) {
      const turns = await world.turns(session.id)
      expect(turns.map(({ position }) => position)).toEqual(turns.map((_, index) => index))
      expect(session.turns).toBe(turns.length)
    }
  })

  it("loses and doubles nothing when it dies at the end of any transaction", async () => {
    const world = await openSessionWorld(await create())
    writeAll(world)
    let deaths = 0
    for (let isDead = true; isDead; ) {
      isDead = false
      let writes = 0
      const db: Database = {
        ...world.db,
        write: (work) =>
          world.db.write(async (transaction) => {
            const result = await work(transaction)
            writes += 1
            // The first is whole; the process dies at the end of the second, and does nothing any more.
            if (writes > 1) isDead = true
            if (isDead) throw new Error("the process died")
            return result
          }),
      }
      // Each round is a new process that finds what the last one left.
      await ingestOnce({ ...world.needsFor(), db }, 1).catch(() => undefined)
      if (isDead) deaths += 1
    }
    expect(deaths).toBeGreaterThan(5)
    await world.ingest()
    const sessions = await world.sessions()
    expect(sessions.reduce((sum, { turns }) => sum + turns, 0)).toBe(37)
    const counted = await world.db.read<{ turns: number }>(sql`select count(*) as turns from turns`)
    expect(Number(counted[0]?.turns)).toBe(37)
    const told = await readJournal(world.db, { kind: "session.read" })
    expect(told.reduce((sum, { data }) => sum + (data as { turns: number }).turns, 0)).toBe(37)
  })

  it("waits for an answer that opencode is still writing", async () => {
    const world = await openSessionWorld(await create())
    const db = openOpencodeDatabase(world.homes.opencode)
    const { session, message, part } = opencodeRows()
    const [first, , last] = message
    const [prompt] = part
    const answer = part.find(({ data }) => String(data.text).startsWith("Done."))
    if (!first || !last || !answer || !prompt || !session[0]) throw new Error("the sample is not whole")
    const now = Date.now()
    putRow(db, "session", { ...session[0], time_updated: now })
    putRow(db, "message", { ...first, time_updated: now })
    putRow(db, "part", prompt)
    const unfinished = { ...last.data, time: { created: now + 1 }, finish: undefined }
    putRow(db, "message", { ...last, time_updated: now + 1, data: unfinished })
    putRow(db, "part", { ...answer, data: { type: "text", text: "Do" } })
    await world.ingest()
    const id = "opencode:ses_e22255d34ffea3i8Kr7rYoF8aH"
    expect(await world.turns(id)).toHaveLength(1)
    putRow(db, "part", answer)
    putRow(db, "message", { ...last, time_updated: now + 2 })
    await world.ingest()
    expect((await world.turns(id)).map(({ role }) => role)).toEqual(["user", "assistant"])
    db.close()
  })

  it("leaves out the work of our own programs", async () => {
    const world = await openSessionWorld(await create())
    writeFileSync(claudeFile(world), line("answer in JSON", { cwd: join(world.ownFolder, "claude/run-1") }))
    await world.ingest()
    expect(await world.sessions()).toEqual([])
  })
})

describeDatabases("What is kept of sessions", (create) => {
  it("is nothing where sessions are switched off, or a tool is left out", async () => {
    const world = await openSessionWorld(await create())
    writeAll(world)
    await world.ingest({ sessions: { enabled: false } })
    expect(await world.sessions()).toEqual([])
    await world.ingest({ sessions: { tools: ["codex", "pi"] } })
    expect(new Set((await world.sessions()).map(({ tool }) => tool))).toEqual(new Set(["codex", "pi"]))
  })

  it("is nothing of what was said while memory was off, also later", async () => {
    const world = await openSessionWorld(await create())
    const file = claudeFile(world)
    writeFileSync(file, line("said in confidence"))
    await world.ingest({ memory: { enabled: false } })
    appendFileSync(file, line("said afterwards"))
    await world.ingest()
    expect((await world.turns("claude-code:s1")).map(({ text }) => text)).toEqual(["said afterwards"])
  })

  it.each(["[memory]\nenabled = false", "[sessions]\nenabled = false"])(
    "is nothing in a project that says %j",
    async (setting) => {
      const world = await openSessionWorld(await create())
      const folder = throwawayFolder()
      mkdirSync(join(folder, ".reverie"))
      writeFileSync(join(folder, ".reverie/config.toml"), setting)
      writeFileSync(claudeFile(world), line("a secret project", { cwd: folder }))
      writeFileSync(claudeFile(world, "s2"), line("another one", { cwd: throwawayFolder() }))
      await world.ingest()
      expect((await world.sessions()).map(({ id }) => id)).toEqual(["claude-code:s2"])
      expect(await everything(world)).not.toContain("a secret project")
    },
  )

  it("is forgotten after the days one wants it kept, and only the heads stay", async () => {
    const world = await openSessionWorld(await create())
    const file = claudeFile(world)
    const old = new Date(Date.now() - 5 * 86_400_000).toISOString()
    writeFileSync(file, line("five days ago", { timestamp: old }) + line("today"))
    await world.ingest({ sessions: { keep_days: 4 } })
    expect(await world.turns("claude-code:s1")).toMatchObject([{ position: 0, text: "today" }])
    await world.clock.advance(5 * 86_400_000)
    await world.ingest({ sessions: { keep_days: 4 } })
    expect(await world.turns("claude-code:s1")).toEqual([])
    expect(await world.sessions()).toMatchObject([{ id: "claude-code:s1", turns: 1 }])
    expect((await world.db.read(sql`select kind from journal where kind = 'turns.forgotten'`)).length).toBe(1)
  })

  it("is only that there was a session, where it is kept for 0 days", async () => {
    const world = await openSessionWorld(await create())
    writeAll(world)
    await world.ingest()
    await world.ingest({ sessions: { keep_days: 0 } })
    expect(await world.db.read(sql`select * from turns`)).toEqual([])
    expect((await world.sessions()).length).toBe(11)
    writeFileSync(claudeFile(world), line("said today"))
    await world.ingest({ sessions: { keep_days: 0 } })
    expect(await world.sessions()).toHaveLength(12)
    expect(await everything(world)).not.toContain("said today")
  })

  it("goes by what a project lowers", async () => {
    const world = await openSessionWorld(await create())
    const folder = throwawayFolder()
    mkdirSync(join(folder, ".reverie"))
    writeFileSync(join(folder, ".reverie/config.toml"), "[sessions]\nkeep_days = 0")
    writeFileSync(claudeFile(world), line("not kept here", { cwd: folder }))
    await world.ingest()
    expect(await world.sessions()).toMatchObject([{ turns: 0, title: null }])
  })

  it("is shortened where a tool said much, without secrets at the cut", async () => {
    const world = await openSessionWorld(await create())
    const log = `${"a".repeat(1390)} ${secret} ${"b ".repeat(20_000)}end`
    writeFileSync(claudeFile(world), line([{ type: "tool_result", tool_use_id: "t", content: log }]))
    await world.ingest()
    const [turn] = await world.turns("claude-code:s1")
    expect(turn?.text.length).toBeLessThan(2100)
    expect(turn?.text).toMatch(/characters left out.*end$/s)
    expect(turn?.text).not.toContain("AKIA")
  })

  it("reads nothing older than that", async () => {
    const world = await openSessionWorld(await create())
    const file = claudeFile(world)
    writeFileSync(file, line("long ago"))
    const old = (Date.now() - 100 * 86_400_000) / 1000
    utimesSync(file, old, old)
    await world.ingest({ sessions: { keep_days: 90 } })
    expect(await world.sessions()).toEqual([])
  })
})
