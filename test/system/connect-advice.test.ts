import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation, ending } from "../../testkit/program/program.ts"

function createUser(folders: readonly string[]) {
  const home = throwawayFolder()
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true })
  const cleared = { CLAUDE_CONFIG_DIR: "", CODEX_HOME: "", GEMINI_CLI_HOME: "", OPENCODE_CONFIG_DIR: "" }
  // Only what the folders tell is found.
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`
  const installation = createPlainInstallation({ env: { HOME: home, XDG_CONFIG_HOME: "", ...cleared }, path })
  return { ...installation, at: (file: string) => join(home, file) }
}

async function call(user: ReturnType<typeof createUser>, tool: string, event: string): Promise<void> {
  const hook = user.start("hook", tool, event)
  hook.stdin?.end(JSON.stringify({ session_id: "s-1", cwd: user.home, prompt: "hello" }))
  await ending(hook)
}

describe("connect", () => {
  it("takes the names people say, and shows a summary instead of a difference unless asked", async () => {
    const user = createUser([".claude"])
    const { code, stderr } = await user.spawn("connect", "claude", "--yes")
    expect(code).toBe(0)
    expect(stderr).toContain("~/.claude/settings.json: created, 7 hooks")
    expect(stderr).toContain("connect claude-code --uninstall` undoes it")
    expect(stderr).toContain("The daemon is not running")
    expect(stderr.split("\n").length).toBeLessThan(12)
    const whole = await user.run("connect", "claude", "--uninstall", "--dry-run", "--diff")
    expect(whole.stderr).toMatch(/^ {2}-.*SessionStart/m)
  })

  it("connects with --all every tool that is found, and no other", async () => {
    const user = createUser([".claude", ".codex"])
    expect((await user.run("connect", "--all", "--yes")).code).toBe(0)
    const { tools } = await user.json<{ tools: { tool: string; connections: object[] }[] }>("connect")
    const connected = tools.filter(({ connections }) => connections.length > 0).map(({ tool }) => tool)
    expect(connected).toEqual(["claude-code", "codex"])
    await user.run("connect", "--all", "--uninstall", "--yes")
    expect(JSON.stringify(await user.json("connect"))).not.toContain("settings.json")
    expect(await createUser([]).run("connect", "--all", "--yes")).toMatchObject({ code: 1 })
  })

  it("connects the other tools with --all where one's settings cannot be read, and says which", async () => {
    const user = createUser([".claude", ".codex"])
    writeFileSync(user.at(".claude/settings.json"), "{ broken")
    const ended = await user.run("connect", "--all", "--yes")
    expect(ended.code).not.toBe(0)
    expect(ended.stderr).toContain(".claude/settings.json")
    const { tools } = await user.json<{ tools: { tool: string; connections: object[] }[] }>("connect")
    const connected = tools.filter(({ connections }) => connections.length > 0).map(({ tool }) => tool)
    expect(connected).toEqual(["codex"])
    expect(readFileSync(user.at(".claude/settings.json"), "utf8")).toBe("{ broken")
  })

  it("says when a tool has not called since it was connected, until it calls", async () => {
    const user = createUser([".claude"])
    await user.run("connect", "claude", "--yes")
    const never = "Claude Code has not called since it was connected"
    expect((await user.run("connect")).stderr).toContain(never)
    expect((await user.run("doctor")).stdout).toContain("not running, so Claude Code get no memories")
    await user.daemon()
    expect((await user.run("status")).stderr).toContain(never)
    await call(user, "claude-code", "UserPromptSubmit")
    expect((await user.run("status")).stderr).not.toContain(never)
    expect((await user.run("doctor")).stdout).not.toContain(never)
  })

  it("says when Codex has not trusted the hooks", async () => {
    const user = createUser([".codex"])
    const untrusted = /Codex has not trusted (the|\d of \d) hooks/
    expect((await user.run("connect", "codex", "--yes")).stderr).toMatch(untrusted)
    expect((await user.run("doctor")).stdout).toMatch(untrusted)
    const file = realpathSync(user.at(".codex/hooks.json"))
    const events = Object.keys(JSON.parse(readFileSync(file, "utf8")).hooks)
    const names = events.map((event) => event.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase())
    const trusted = names.map(
      (name) => `[hooks.state."${file}:${name}:0:0"]\ntrusted_hash = "sha256:00"\nenabled = true\n`,
    )
    writeFileSync(user.at(".codex/config.toml"), trusted.slice(1).join("\n"))
    expect((await user.run("connect")).stderr).toContain(`has not trusted 1 of ${events.length} hooks`)
    writeFileSync(user.at(".codex/config.toml"), trusted.join("\n"))
    expect((await user.run("connect")).stderr).not.toMatch(untrusted)
  })

  it("says when hooks of an older version lack an event, and mends that", async () => {
    const user = createUser([".claude"])
    await user.run("connect", "claude", "--yes")
    const file = user.at(".claude/settings.json")
    const settings = JSON.parse(readFileSync(file, "utf8"))
    delete settings.hooks.PreToolUse
    writeFileSync(file, JSON.stringify(settings))
    const told = /lacks the hook PreToolUse\. Run `.+ connect claude-code` again/
    expect((await user.run("connect")).stderr).toMatch(told)
    expect((await user.run("doctor")).stdout).toMatch(told)
    await user.run("connect", "claude", "--yes")
    expect((await user.run("connect")).stderr).not.toContain("lacks")
  })
})
