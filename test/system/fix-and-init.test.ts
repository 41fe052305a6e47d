import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"

interface Doctor {
  checks: { id: string; ok: boolean; fix?: object }[]
  fixed?: { what: string; outcome: string }[]
}

/** An installation of a user who has Claude Code, and nothing else. */
function withClaude() {
  const user = throwawayFolder()
  mkdirSync(join(user, ".claude"))
  const tools = { CODEX_HOME: join(user, "codex"), CLAUDE_CONFIG_DIR: join(user, ".claude") }
  const env = { HOME: user, ...tools, XDG_CONFIG_HOME: join(user, ".config") }
  const installation = createPlainInstallation({ env, path: "/usr/bin:/bin" })
  return { ...installation, user, settings: join(user, ".claude/settings.json") }
}

it("doctor --fix makes files private again, and connects anew what leads elsewhere", async () => {
  const { json, run, paths, settings } = withClaude()
  expect((await run("connect", "claude-code", "--yes")).code).toBe(0)
  const right = readFileSync(settings, "utf8")
  const broken = JSON.parse(right)
  delete broken.hooks.UserPromptSubmit
  writeFileSync(settings, JSON.stringify(broken))
  chmodSync(paths.configFile, 0o644)
  const before = await json<Doctor>("doctor")
  expect(before.checks.filter(({ ok, fix }) => !ok && fix).map(({ id }) => id)).toEqual(
    expect.arrayContaining(["private", "connections"]),
  )
  const after = await json<Doctor>("doctor", "--fix")
  await run("stop")
  expect(after.fixed?.map(({ outcome }) => outcome)).not.toContain("failed")
  expect(after.checks.find(({ id }) => id === "private")?.ok).toBe(true)
  expect(statSync(paths.configFile).mode & 0o077).toBe(0)
  expect(JSON.parse(readFileSync(settings, "utf8")).hooks.UserPromptSubmit).toBeDefined()
})

it("doctor --fix mends a connection as it was made: over HTTP, and with the MCP server", async () => {
  const { json, run, user, settings } = withClaude()
  expect((await run("connect", "claude-code", "--mcp", "--http", "--yes")).code).toBe(0)
  const state = join(user, ".claude/.claude.json")
  const [hooks, servers] = [settings, state].map((file) => JSON.parse(readFileSync(file, "utf8")))
  const { UserPromptSubmit: _gone, ...others } = hooks.hooks
  writeFileSync(settings, JSON.stringify({ ...hooks, hooks: others }))
  const moved = { ...servers.mcpServers.reverie, args: ["/moved/away/main.js", "mcp"] }
  writeFileSync(state, JSON.stringify({ mcpServers: { reverie: moved } }))
  const before = await json<Doctor>("doctor")
  expect(before.checks.filter(({ id, ok, fix }) => id === "connections" && !ok && fix)).toHaveLength(2)
  const after = await json<Doctor>("doctor", "--fix")
  await run("stop")
  expect(after.fixed?.map(({ outcome }) => outcome)).not.toContain("failed")
  expect(JSON.parse(readFileSync(settings, "utf8")).hooks).toEqual(hooks.hooks)
  expect(JSON.stringify(hooks.hooks.UserPromptSubmit)).toContain("http://127.0.0.1:")
  expect(JSON.parse(readFileSync(state, "utf8"))).toEqual(servers)
})

it("init --connect finds the user's tools and connects them in one go; without it they are left alone", async () => {
  const { json, run, settings } = withClaude()
  expect(await json("init", "--yes")).toMatchObject({ connected: [] })
  expect(existsSync(settings)).toBe(false)
  expect(await json("init", "--yes", "--connect")).toMatchObject({ connected: ["Claude Code"] })
  expect(readFileSync(settings, "utf8")).toContain("UserPromptSubmit")
  expect((await run("connect")).stdout).toMatch(/claude-code\s+connected/)
})
