import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createInstallation, createPlainInstallation } from "../../testkit/program/program.ts"
import { add, contents, expectSentence } from "../../testkit/sessions/told.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"

describeDatabases("Purging", (create) => {
  test("everything takes the words of sessions along", async () => {
    const tools = throwawayFolder()
    const env = toolEnvironment(tools)
    const { json, run } = createPlainInstallation({ databaseUrl: (await create()).url, env })
    const file = join(tools, "claude/projects/-home-ada/one.jsonl")
    mkdirSync(dirname(file), { recursive: true })
    const line = {
      type: "user",
      uuid: "u1",
      timestamp: new Date().toISOString(),
      cwd: "/home/ada",
      message: { role: "user", content: "the frobnicatory stands open" },
    }
    writeFileSync(file, `${JSON.stringify(line)}\n`)
    const { sessions } = await json<{ sessions: { id: string }[] }>("sessions")
    const [{ id } = { id: "" }] = sessions
    expect((await run("sessions", "show", id)).stdout).toContain("frobnicatory")
    await run("memory", "purge", "--all", "--yes")
    expect(await json("sessions", "show", id)).toMatchObject({ turns: [] })
    expect((await run("sessions", "--json")).stdout).not.toContain("frobnicatory")
  })

  test("needs a yes, deletes for good, and leaves a journal that can be read", async () => {
    const installation = createPlainInstallation({ databaseUrl: (await create()).url })
    const { json, run, home } = installation
    const id = await add(
      installation,
      "the zanzibarium code",
      "--tag",
      "quuxtag",
      "--session",
      "plughsession",
    )
    await run("memory", "edit", id, "the zanzibarium codeword", "--context", "xyzzycontext")
    await run("undo")
    const kept = await add(installation, "kept")
    await run("memory", "link", kept, "relates-to", id)
    const gone = await add(installation, "frobozzium", "--project", home)
    expectSentence(await run("memory", "purge", id), 4, /would delete 1 memory for good; give --yes/)
    expectSentence(await run("memory", "purge"), 2, /Say what to purge/)
    expectSentence(await run("memory", "purge", id, "--all", "--yes"), 2, /Say what to purge/)
    const purged = await json<{ operation: string }>("memory", "purge", id, "--yes")
    expect(purged).toMatchObject({ outcome: "purged", purged: 1, scrubbed: true, snapshots: [] })
    const exported = (await run("memory", "export")).stdout
    expect(exported).not.toMatch(/zanzibarium|quuxtag|plughsession|xyzzycontext/)
    expect((await run("journal", "-n", "100", "--json")).stdout).not.toMatch(/zanzibarium|quuxtag/)
    expect((await run("memory", "history", id)).stdout).toMatch(
      /memory\.edited.*\n.*purged.*(\n.*)*memory\.purged/,
    )
    expectSentence(await run("undo"), 1, /purged memories; a purge cannot be undone/)
    const { operations } = await json<{ operations: { operation: string; kind: string }[] }>("undo", "--list")
    const saved = operations.filter(({ kind }) => kind === "memory.saved").at(-1)
    expectSentence(await run("undo", saved?.operation ?? ""), 1, /changed m_\w+, which was purged since/)
    const linked = operations.find(({ kind }) => kind === "edge.added")
    const undone = await json<{ operation: string }>("undo", linked?.operation ?? "")
    await run("undo", undone.operation)
    expect(await json<{ edges: object[] }>("memory", "show", kept)).toMatchObject({ edges: [] })
    expect(await json("memory", "purge", "--project", home, "--yes")).toMatchObject({ purged: 1 })
    expectSentence(await run("memory", "show", gone), 1, /There is no memory/)
    await run("memory", "forget", kept)
    const last = await add(installation, "last")
    expect(await json("memory", "purge", "--forgotten", "--yes")).toMatchObject({ purged: 1 })
    expect(await contents(installation)).toEqual(["last"])
    expect(await json("memory", "purge", "--all", "--yes")).toMatchObject({ purged: 1 })
    expect(JSON.parse((await run("memory", "export")).stdout)).toMatchObject({
      memories: [],
      edges: [],
      tags: [],
    })
    expect(last).toMatch(/^m_/)
  })

  test("goes through the daemon, and a purge that is sent twice is done once", async () => {
    const installation = createPlainInstallation({ databaseUrl: (await create()).url })
    const id = await add(installation, "to be purged")
    const { client } = await installation.daemon()
    expect(await client.purge({ choice: { ids: [id] } })).toMatchObject({ outcome: "asked", memories: 1 })
    expect(await client.show(id)).toMatchObject({ id })
    const asked = { choice: { ids: [id.slice(-8)] }, confirmed: true }
    const first = await client.purge(asked, "op_purgetwice1")
    expect(first).toMatchObject({ outcome: "purged", purged: 1 })
    // The daemon may take its daily snapshot meanwhile.
    const again = await client.purge(asked, "op_purgetwice1")
    expect({ ...again, snapshots: [] }).toEqual({ ...first, snapshots: [] })
  })
})

describe("Purging an SQLite file", () => {
  const secret = "Zanzibarium"
  const bytesHold = (file: string, text: string) => existsSync(file) && readFileSync(file).includes(text)

  for (const withDaemon of [false, true]) {
    test(`leaves no byte of the text in it ${withDaemon ? "while the daemon runs" : "without a daemon"}`, async () => {
      const installation = withDaemon ? createInstallation() : createPlainInstallation()
      const { run, json, paths } = installation
      if (withDaemon) await installation.daemon()
      const id = await add(installation, `the ${secret} of yore`, "--tag", "zanzitag")
      await run("memory", "edit", id, `another ${secret} altogether`)
      await run("undo")
      await run("memory", "forget", id)
      await add(installation, "something else")
      const files = ["", "-wal", "-shm"].map((ending) => `${paths.databaseFile}${ending}`)
      const traces = () =>
        files.some((file) => bytesHold(file, secret) || bytesHold(file, secret.toLowerCase()))
      expect(traces()).toBe(true)
      expect(await run("memory", "purge", id, "--yes")).toMatchObject({ code: 0 })
      expect(traces()).toBe(false)
      expect(files.some((file) => bytesHold(file, "zanzitag") || bytesHold(file, "yore"))).toBe(false)
      expect(await run("doctor")).toMatchObject({ code: 0 })
      expect(await contents(installation)).toEqual(["something else"])
      expect(await json("memory", "stats")).toMatchObject({
        counts: { vectors: withDaemon ? [{ memories: 1 }] : [] },
      })
    })
  }

  test("tells of snapshots that still hold it, and removes them when asked", async () => {
    const installation = createPlainInstallation()
    const { run, json, paths } = installation
    const id = await add(installation, `the ${secret}`)
    const other = await add(installation, "another")
    await run("snapshot", "take")
    const ended = await run("memory", "purge", id, "--yes")
    expect(ended.stderr).toMatch(/1 snapshot may still contain them/)
    const { snapshots } = await json<{ snapshots: { file: string }[] }>("snapshot", "list")
    expect(bytesHold(snapshots[0]?.file ?? "", secret)).toBe(true)
    await run("snapshot", "restore", snapshots[0]?.file.split("/").at(-1) ?? "")
    await run("memory", "purge", id, "--yes", "--snapshots")
    expect(await json("snapshot", "list")).toMatchObject({ snapshots: [] })
    // 1: nothing found.
    expect(spawnSync("grep", ["-rl", secret, paths.dataDir])).toMatchObject({ status: 1 })
    expect(await json("memory", "show", other)).toMatchObject({ content: "another" })
  })
})
