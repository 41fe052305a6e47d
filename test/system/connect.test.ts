import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"

/** A user with tools, and the program that connects them. */
function createUser() {
  const home = throwawayFolder()
  const env = {
    HOME: home,
    CLAUDE_CONFIG_DIR: "",
    CODEX_HOME: "",
    GEMINI_CLI_HOME: "",
    XDG_CONFIG_HOME: "",
    OPENCODE_CONFIG_DIR: "",
  }
  const installation = createPlainInstallation({ env })
  const at = (file: string) => join(home, file)
  return {
    ...installation,
    user: home,
    at,
    write(file: string, text: string) {
      mkdirSync(dirname(at(file)), { recursive: true })
      writeFileSync(at(file), text)
    },
    read: (file: string) => readFileSync(at(file), "utf8"),
    connect: (...args: string[]) => installation.run("connect", ...args, "--yes"),
  }
}

const theirs = {
  claude: JSON.stringify(
    { model: "opus", hooks: { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] }, zebra: [1] },
    null,
    4,
  ),
  codex: '# mine\nmodel = "gpt-5.5"  # the new one\n\n[projects."/src/tides"]\ntrust_level = "trusted"\n',
  gemini: '{\n  // my colours\n  "ui": { "theme": "GitHub" },\n}\n',
  opencode: '{\n\t"$schema": "https://opencode.ai/config.json",\n\t"mcp": {"mine": {"type": "remote"}}\n}',
}

/** Where each tool's settings are, and what stands in them before. */
const tools = [
  {
    tool: "claude-code",
    files: { ".claude/settings.json": theirs.claude, ".claude.json": '{"numStartups":3}' },
  },
  { tool: "codex", files: { ".codex/config.toml": theirs.codex } },
  { tool: "gemini-cli", files: { ".gemini/settings.json": theirs.gemini } },
  { tool: "opencode", files: { ".config/opencode/opencode.json": theirs.opencode } },
]

/** Where each tool looks for commands of the user's: /ambient and /consolidate. */
const commandFiles: Record<string, string[]> = {
  "claude-code": [".claude/commands/ambient.md", ".claude/commands/consolidate.md"],
  codex: [".codex/skills/ambient/SKILL.md", ".codex/skills/consolidate/SKILL.md"],
  "gemini-cli": [".gemini/commands/ambient.toml", ".gemini/commands/consolidate.toml"],
  opencode: [".config/opencode/commands/ambient.md", ".config/opencode/commands/consolidate.md"],
}

/** Every file below a folder with its text. */
function snapshot(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), "utf8"),
    ]),
  )
}

describe.each(tools)("Connecting $tool", ({ tool, files }) => {
  function furnished() {
    const user = createUser()
    for (const [file, text] of Object.entries(files)) user.write(file, text)
    return user
  }

  test("is idempotent, and undone to the byte", async () => {
    const user = furnished()
    const before = snapshot(user.user)
    expect((await user.connect(tool, "--mcp")).code).toBe(0)
    const connected = snapshot(user.user)
    expect(connected).not.toEqual(before)
    expect((await user.connect(tool, "--mcp")).stderr).toContain("No change")
    expect(snapshot(user.user)).toEqual(connected)
    expect((await user.connect(tool, "--uninstall")).stderr).toContain("is disconnected")
    expect(snapshot(user.user)).toEqual(before)
    expect(existsSync(join(user.paths.dataDir, "hooks"))).toBe(false)
  })

  test("leaves nothing behind where nothing was", async () => {
    const user = createUser()
    await user.connect(tool, "--mcp")
    expect(Object.keys(snapshot(user.user)).length).toBeGreaterThan(0)
    await user.connect(tool, "--uninstall")
    expect(readdirSync(user.user)).toEqual([])
  })

  test("is undone without the user's own changes", async () => {
    const user = furnished()
    await user.connect(tool, "--mcp")
    for (const file of Object.keys(files)) user.write(file, edited(user.read(file)))
    await user.connect(tool, "--uninstall")
    const expected = Object.entries(files).map(([file, text]) => [user.at(file), edited(text)])
    expect(snapshot(user.user)).toEqual(Object.fromEntries(expected))
  })

  test("asks, and without a terminal does nothing", async () => {
    const user = furnished()
    const before = snapshot(user.user)
    const { code, stderr } = await user.run("connect", tool)
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("give --yes") })
    expect(stderr).toContain("reverie")
    expect((await user.run("connect", tool, "--dry-run")).stderr).toContain("Nothing was changed")
    expect((await user.run("connect", tool, "--print")).stdout).toContain("reverie")
    expect(snapshot(user.user)).toEqual(before)
  })

  test("shows how it stands", async () => {
    const user = furnished()
    const state = async () => {
      const { tools } = await user.json<{ tools: { tool: string; found: boolean; connections: object[] }[] }>(
        "connect",
      )
      return tools.find((one) => one.tool === tool)
    }
    expect(await state()).toMatchObject({ found: true, connections: [] })
    await user.connect(tool)
    expect(await state()).toMatchObject({ connections: [{ project: null, problem: null }] })
  })

  test("brings commands for tending, and leaves the user's own of that name alone", async () => {
    const user = furnished()
    const [first = "", second = ""] = commandFiles[tool] ?? []
    user.write(first, "my own words")
    const connected = await user.connect(tool)
    expect(connected.stderr).toContain(`${user.at(first)} is yours and was left as it is`)
    expect(user.read(first)).toBe("my own words")
    const command = user.read(second)
    const [, run = ""] = / {4}(REVERIE_HOME=.*?) wake --wait/.exec(command.replaceAll("\\n", "\n")) ?? []
    expect(execFileSync("sh", ["-c", `cd / && ${run} --version`], { encoding: "utf8" })).toMatch(/^\d+\.\d+/)
    await user.connect(tool, "--uninstall")
    expect(user.read(first)).toBe("my own words")
    expect(existsSync(user.at(second))).toBe(false)
  })

  test("for one project only touches that project", async () => {
    const user = createUser()
    const project = throwawayFolder()
    await user.connect(tool, "--project", project)
    expect(readdirSync(user.user)).toEqual([])
    expect(JSON.stringify(snapshot(project))).toContain("reverie")
    expect((await user.run("connect")).stdout).toContain("connected in a project")
    await user.connect(tool, "--project", project, "--uninstall")
    expect(readdirSync(project)).toEqual([])
  })
})

/** The same change to a text before and after connecting. */
function edited(text: string): string {
  if (!text.includes("{") || text.startsWith("#")) return `# a note\n${text}\n[more]\nwords = 1\n`
  return text.replace("{", '{ "more": "words",')
}

describe("Connecting", () => {
  test.each([
    ["claude-code", ".claude/settings.json", '{"hooks": {'],
    ["claude-code", ".claude/settings.json", '{ // a comment\n "model": "opus" }'],
    ["codex", ".codex/hooks.json", "not json"],
    ["gemini-cli", ".gemini/settings.json", '{"ui": }'],
  ])("refuses broken settings of %s in one sentence and leaves them alone", async (tool, file, text) => {
    const user = createUser()
    user.write(file, text)
    const { code, stderr } = await user.connect(tool)
    expect(code).toBe(1)
    expect(stderr.trim()).toMatch(
      /^reverie: .*settings|hooks.* cannot be edited, because .*nothing was changed\.$/,
    )
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(user.read(file)).toBe(text)
    expect(existsSync(user.paths.dataDir)).toBe(false)
  })

  test("refuses settings that are a folder", async () => {
    const user = createUser()
    user.write(".claude/settings.json/file", "")
    const { code, stderr } = await user.connect("claude-code")
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `reverie: ${user.at(".claude/settings.json")} is a folder, not a file; move it away.\n`,
    })
  })

  test("refuses broken TOML and leaves it alone", async () => {
    const user = createUser()
    user.write(".codex/config.toml", "model = \n")
    const { code, stderr } = await user.connect("codex", "--mcp")
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not valid TOML.*line 1/),
    })
    expect(user.read(".codex/config.toml")).toBe("model = \n")
    expect(existsSync(user.at(".codex/hooks.json"))).toBe(false)
  })

  test("refuses settings of a form it does not know", async () => {
    const user = createUser()
    user.write(".claude/settings.json", '{"hooks": {"Stop": {}}}')
    const { code, stderr } = await user.connect("claude-code")
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("`hooks.Stop` in it") })
    expect(user.read(".claude/settings.json")).toBe('{"hooks": {"Stop": {}}}')
  })

  test("keeps the user's own hooks, a link and permissions", async () => {
    const user = createUser()
    user.write("dotfiles/claude.json", theirs.claude)
    chmodSync(user.at("dotfiles/claude.json"), 0o640)
    mkdirSync(user.at(".claude"))
    symlinkSync(user.at("dotfiles/claude.json"), user.at(".claude/settings.json"))
    await user.connect("claude-code")
    expect(lstatSync(user.at(".claude/settings.json")).isSymbolicLink()).toBe(true)
    expect(statSync(user.at("dotfiles/claude.json")).mode & 0o777).toBe(0o640)
    const { hooks, model, zebra } = JSON.parse(user.read("dotfiles/claude.json"))
    expect({ model, zebra }).toEqual({ model: "opus", zebra: [1] })
    expect(hooks.Stop[0]).toEqual({ hooks: [{ type: "command", command: "say done" }] })
    expect(hooks.Stop[1].hooks[0].command).toMatch(/reverie-hook' claude-code Stop$/)
    await user.connect("claude-code", "--uninstall")
    expect(user.read("dotfiles/claude.json")).toBe(theirs.claude)
  })

  test("keeps a copy of what was there", async () => {
    const user = createUser()
    user.write(".claude/settings.json", theirs.claude)
    const { files } = await user.json<{ files: { backup: string }[] }>("connect", "claude-code", "--yes")
    expect(readFileSync(files[0]?.backup ?? "", "utf8")).toBe(theirs.claude)
  })

  test("puts Codex's hooks where the user has theirs", async () => {
    const user = createUser()
    const config = `${theirs.codex}\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n`
    user.write(".codex/config.toml", config)
    await user.connect("codex", "--mcp")
    expect(existsSync(user.at(".codex/hooks.json"))).toBe(false)
    expect(user.read(".codex/config.toml").match(/\[\[hooks\.\w+\.hooks\]\]/g)).toHaveLength(7)
    // As Codex does when the user trusts a folder.
    writeFileSync(
      user.at(".codex/config.toml"),
      `${user.read(".codex/config.toml")}\n[projects."/a"]\nx = 1\n`,
    )
    await user.connect("codex", "--uninstall")
    expect(user.read(".codex/config.toml")).toBe(`${config}\n[projects."/a"]\nx = 1\n`)
  })

  test("leaves alone what only looks like our table, inside a text of Codex's", async () => {
    const user = createUser()
    const text = 'notes = """\nput this there:\n[mcp_servers.reverie]\ncommand = \'x\'\n"""\n'
    user.write(".codex/config.toml", text)
    expect((await user.connect("codex", "--mcp")).code).toBe(0)
    const connected = user.read(".codex/config.toml")
    expect(connected.startsWith(text)).toBe(true)
    expect(connected.slice(text.length)).toMatch(/^\n\[mcp_servers\.reverie\]\n/)
    expect((await user.connect("codex", "--uninstall")).code).toBe(0)
    expect(user.read(".codex/config.toml")).toBe(text)
  })

  test("tells what has to be trusted in Codex", async () => {
    const { stderr } = await createUser().connect("codex")
    expect(stderr).toMatch(/not trusted the hooks yet: start `codex`, enter \/hooks/)
  })

  test("takes over a connection of an older place", async () => {
    const user = createUser()
    await user.connect("claude-code")
    const text = user.read(".claude/settings.json").replaceAll(user.home, "/old home")
    writeFileSync(user.at(".claude/settings.json"), text)
    const { checks } = await user.json<{ checks: { id: string; ok: boolean; message: string }[] }>("doctor")
    expect(checks.find(({ id }) => id === "connections")).toMatchObject({
      ok: false,
      message: expect.stringContaining("/old home/data/hooks/reverie-hook, which is gone"),
    })
    await user.connect("claude-code")
    expect(user.read(".claude/settings.json")).not.toContain("/old home")
    expect(user.read(".claude/settings.json").match(/reverie-hook' claude-code/g)).toHaveLength(7)
  })

  test("brings back a program that was removed", async () => {
    const user = createUser()
    await user.connect("codex")
    rmSync(join(user.paths.dataDir, "hooks"), { recursive: true })
    expect((await user.run("connect")).stdout).toContain("broken")
    await user.connect("codex")
    expect((await user.run("connect")).stdout).not.toContain("broken")
  })

  test("lets Claude Code ask over HTTP, with a token that opens nothing else", async () => {
    const user = createUser()
    const { stderr } = await user.connect("claude-code", "--http")
    expect(stderr).toContain("error line")
    const { hooks } = JSON.parse(user.read(".claude/settings.json"))
    expect(hooks.SessionStart[0].hooks[0]).toMatchObject({ type: "command" })
    expect(hooks.UserPromptSubmit[0].hooks[0]).toMatchObject({
      type: "http",
      url: "http://127.0.0.1:7373/v1/hooks/claude-code/UserPromptSubmit",
    })
    const { token } = JSON.parse(readFileSync(user.paths.installFile, "utf8"))
    expect(user.read(".claude/settings.json")).not.toContain(token)
    await user.run("config", "set", "api.port", "0")
    expect((await user.connect("claude-code", "--http")).stderr).toContain("set api.port")
    expect((await user.connect("codex", "--http")).code).toBe(2)
  })

  test("does not touch a plugin that is not ours", async () => {
    const user = createUser()
    user.write(".config/opencode/plugin/reverie.js", "export const Mine = 1\n")
    expect((await user.connect("opencode")).stderr).toContain("is not Reverie's")
    expect((await user.connect("opencode", "--uninstall")).code).toBe(1)
    expect(user.read(".config/opencode/plugin/reverie.js")).toBe("export const Mine = 1\n")
  })
})
