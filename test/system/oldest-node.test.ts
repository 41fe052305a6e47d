import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import zlib from "node:zlib"
import { describe, expect, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createInstallation, createPlainInstallation } from "../../testkit/program/program.ts"
import { sampleTools } from "../../testkit/sessions/sample-tools.ts"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"

const root = join(import.meta.dirname, "../..")
const node = join(root, "node_modules/.cache/oldest-node/node")

describe.skipIf(!existsSync(node) && process.env.CI !== "true")("The oldest Node we support", () => {
  test("runs the program, on a SQLite that is safe and can search", async () => {
    const { run, json } = createInstallation({ command: [node, join(root, "dist/main.js")] })
    expect((await run("doctor")).stdout).toMatch(/node +Node 22\.13\.0\n[\s\S]*SQLite 3\.(5[1-9]|[6-9]\d)/)
    expect(await run("start")).toMatchObject({ code: 0 })
    const added = await run("memory", "add", "told to an old Node")
    expect(added).toMatchObject({ code: 0, stderr: "Saved for every project (fact).\n" })
    expect(await json("memory", "search", "old", "--sure")).toMatchObject({
      results: [{ content: "told to an old Node" }],
    })
    expect(await run("stop")).toMatchObject({ code: 0 })
    expect(await run("undo")).toMatchObject({ code: 0 })
    expect(await json("memory", "search", "old", "--sure")).toMatchObject({ results: [] })
  })

  test("reads opencode's database, and says that it cannot unpack transcripts", async () => {
    const tools = throwawayFolder()
    const opencode = join(tools, "data/opencode")
    const codex = join(tools, "codex/sessions")
    sampleTools.find(({ name }) => name === "opencode")?.write(opencode)
    mkdirSync(codex, { recursive: true })
    const meta = { timestamp: "2026-11-15T06:16:41Z", type: "session_meta", payload: { id: "s", cwd: "/" } }
    writeFileSync(join(codex, "rollout-1.jsonl.zst"), zlib.zstdCompressSync(JSON.stringify(meta)))
    const command = [node, join(root, "dist/main.js")]
    const { json, daemon, paths } = createPlainInstallation({ command, env: toolEnvironment(tools) })
    const { entry } = await daemon()
    expect(await entry("session.read")).toMatchObject({ data: { turns: 3 } })
    expect(await json("sessions")).toMatchObject({ sessions: [{ tool: "opencode", turns: 3 }] })
    expect(readFileSync(paths.logFile, "utf8")).toContain("cannot read packed transcripts (.zst)")
  })
})
