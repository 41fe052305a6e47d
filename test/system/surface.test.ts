import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { withoutEmbedder } from "../../testkit/program/home.ts"
import { createInstallation, createPlainInstallation, ending } from "../../testkit/program/program.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

describe("The command line", () => {
  test("alone shows how it stands and what to do next", async () => {
    const { run } = createPlainInstallation()
    const first = await run()
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("0 memories in 0 projects") })
    expect(first.stderr).toMatch(/reverie'? add/)
    await run("memory", "add", "something", "--global")
    expect((await run()).stdout).toContain("1 memory in 0 projects")
    expect((await run()).stderr).toMatch(/reverie'? start/)
  })

  test("reads a text from standard input, and puts words together", async () => {
    const installation = createPlainInstallation()
    const child = installation.start("memory", "add", "-", "--type", "procedure")
    child.stdin?.end("To deploy:\n1. build\n2. push\n")
    expect(await ending(child)).toMatchObject({ code: 0 })
    await installation.run("memory", "add", "several", "words", "together")
    const { memories } = await installation.json<{ memories: object[] }>("memory", "list")
    expect(memories).toMatchObject([
      { content: "several words together" },
      { content: "To deploy:\n1. build\n2. push", type: "procedure" },
    ])
  })

  test("keeps a project's memories in the project", async () => {
    const { run, json, home } = createPlainInstallation()
    await run("memory", "add", "for this folder", "--project", ".")
    await run("memory", "add", "tabs in this folder", "--scope", "project")
    await run("memory", "add", "for everywhere")
    const found = (...args: string[]) =>
      json<{ results: object[] }>("memory", "search", "folder everywhere", "--sure", ...args)
    expect((await found()).results).toHaveLength(3)
    expect((await found("--project", "/")).results).toHaveLength(1)
    expect((await found("--all-projects")).results).toHaveLength(3)
    expect((await found("--project", home, "--limit", "1")).results).toHaveLength(1)
  })

  test("pages through long lists, and filters them", async () => {
    const { run, json, home } = createPlainInstallation()
    const lines = Array.from({ length: 7 }, (_, index) =>
      JSON.stringify({
        content: `number ${index}`,
        type: index % 2 ? "fact" : "preference",
        tags: [`t${index % 3}`],
      }),
    )
    writeFileSync(join(home, "in.jsonl"), lines.join("\n"))
    await run("memory", "import", join(home, "in.jsonl"))
    type Page = { memories: { content: string }[]; next: string | null }
    const first = await json<Page>("memory", "list", "--limit", "5")
    const second = await json<Page>("memory", "list", "--limit", "5", "--after", first.next ?? "")
    const seen = [...first.memories, ...second.memories].map((memory) => memory.content)
    expect(new Set(seen).size).toBe(7)
    expect(second.next).toBeNull()
    expect((await json<Page>("memory", "list", "--type", "fact")).memories).toHaveLength(3)
    expect((await json<Page>("memory", "list", "--tag", "t1")).memories).toHaveLength(2)
    expect((await json<Page>("memory", "list", "--status", "archived")).memories).toHaveLength(0)
  })

  test("moves everything through a file, packed or not, with and without the daemon", async () => {
    const from = createPlainInstallation()
    await from.run("memory", "add", "the only one", "--tag", "x")
    const file = join(from.home, "all.json")
    await from.run("memory", "export", file)
    const text = readFileSync(file)
    writeFileSync(`${file}.gz`, gzipSync(text))
    for (const withDaemon of [false, true]) {
      const to = createPlainInstallation()
      if (withDaemon) await to.daemon()
      expect(await to.json("memory", "import", `${file}.gz`)).toMatchObject({ saved: 1, failed: 0 })
      expect((await to.run("memory", "export")).stdout).toBe(text.toString())
      const markdown = (await to.run("memory", "export", "--format", "markdown")).stdout
      expect(markdown).toMatch(/## Everywhere\n\n### fact\n\n- the only one #x/)
    }
  })

  test("tells which lines of an import were wrong, and exits with 1", async () => {
    const { run, home } = createPlainInstallation()
    writeFileSync(join(home, "in.jsonl"), '{"content":"fine"}\n{"text":"wrong"}\n')
    const ended = await run("memory", "import", join(home, "in.jsonl"))
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/line 2 cannot be used: the content is missing/)
    expect(ended.stderr).toMatch(/1 saved, 1 failed/)
  })

  test("ends quietly when its reader has seen enough, and works in a folder that is gone", async () => {
    const { run, home } = createPlainInstallation()
    const lines = Array.from({ length: 3000 }, (_, index) =>
      JSON.stringify({ content: `number ${index}`.repeat(20) }),
    )
    writeFileSync(join(home, "in.jsonl"), lines.join("\n"))
    await run("memory", "import", join(home, "in.jsonl"), "--verbatim")
    const env = { ...process.env, REVERIE_HOME: home, PROGRAM: program }
    const script = 'set -o pipefail; "$PROGRAM" memory export | head -c 100 | wc -c; echo "$?"'
    expect(execFileSync("bash", ["-c", script], { env, encoding: "utf8" })).toMatch(/^100\n0\n$/)
    const gone =
      'exec 2>/dev/null; cd "$(mktemp -d)" && rmdir "$PWD" && "$PROGRAM" memory search number --limit 1 | wc -l'
    expect(execFileSync("bash", ["-c", gone], { env, encoding: "utf8" }).trim()).toBe("2")
  })

  test("exports the user's own address, and doctor tells of the embedding model", async () => {
    const { run, json, home } = createInstallation()
    const project = join(home, "project")
    execFileSync("git", ["init", "-q", project])
    execFileSync("git", ["-C", project, "config", "user.email", "mona@acme.dev"])
    const told = "Commits here are signed by mona@acme.dev"
    await run("memory", "add", told, "--project", project)
    expect((await run("memory", "export")).stdout).toContain(told)
    const embedding = async () => {
      const { checks } = await json<{ checks: { id: string; ok: boolean; message: string }[] }>("doctor")
      return checks.find(({ id }) => id === "embedding")
    }
    expect(await embedding()).toMatchObject({ ok: true, message: "all-MiniLM-L6-v2 is there" })
    await run("config", "set", "embedding.path", join(home, "nowhere"))
    expect(await embedding()).toMatchObject({ ok: false })
    withoutEmbedder(home)
    expect(await embedding()).toMatchObject({ ok: true, message: "none, search is by words alone" })
  })

  test("shows the journal, and follows it", async () => {
    const installation = createPlainInstallation()
    await installation.run("memory", "add", "first thing")
    expect((await installation.run("journal")).stdout).toMatch(/memory\.saved +cli +\w{8} +first thing/)
    await installation.daemon()
    const following = installation.start("journal", "--follow", "--json")
    const line = new Promise<string>((resolve) => {
      let text = ""
      following.stdout?.on("data", (chunk) => {
        text += chunk
        if (text.includes("bread on the table")) resolve(text)
      })
    })
    await installation.run("memory", "add", "bread on the table")
    const entries = (await line)
      .trim()
      .split("\n")
      .map((one) => JSON.parse(one))
    expect(entries.at(-1)).toMatchObject({ kind: "memory.saved", actor: "cli" })
  })

  test("gets, sets and checks the configuration, and hides passwords", async () => {
    const { run, json, paths } = createPlainInstallation()
    expect((await run("config", "path")).stdout.trim()).toBe(paths.configFile)
    expect(await run("config", "set", "storage.snapshots_kept", "3")).toMatchObject({ code: 0 })
    expect((await run("config", "get", "storage.snapshots_kept")).stdout).toBe("3\n")
    expect(await json("config", "get")).toMatchObject({ storage: { snapshots_kept: 3 }, api: { port: 7373 } })
    await run("config", "set", "storage.url", "postgres://me:secret@host/db")
    expect((await run("config", "get")).stdout).toMatch(/storage\.url +"postgres:\/\/me:\*\*\*@host\/db"/)
    expect((await run("config", "get", "storage.url")).stdout).toBe("postgres://me:***@host/db\n")
    expect(await json("config", "get", "storage.url")).toMatchObject({ value: "postgres://me:***@host/db" })
    await run("config", "set", "storage.snapshots_kept", "4")
    const revealed = "postgres://me:secret@host/db\n"
    expect((await run("config", "get", "storage.url", "--reveal")).stdout).toBe(revealed)
    expect(JSON.parse((await run("config", "schema")).stdout)).toMatchObject({ type: "object" })
    expect(await run("config", "validate")).toMatchObject({ code: 0 })
  })
})

describe("Completion", () => {
  test("knows commands, options and choices", async () => {
    const { run } = createPlainInstallation()
    const complete = async (...words: string[]) =>
      (await run("__complete", "--", ...words)).stdout.trim().split("\n")
    expect(await complete("me")).toEqual(["memory"])
    expect(await complete("memory", "s")).toEqual(["search", "show", "similar", "stats"])
    expect(await complete("memory", "rate", "m_1", "")).toEqual(["helpful", "unhelpful"])
    expect(await complete("memory", "resolve", "m_1", "--keep", "")).toEqual(["both", "other", "this"])
    expect(await complete("memory", "import", "--format", "m")).toEqual(["markdown", "mcp", "mem0"])
    expect(await complete("memory", "add", "--type", "f")).toEqual(["fact"])
    expect(await complete("completion", "")).toEqual(expect.arrayContaining(["bash", "fish", "zsh"]))
    expect(await complete("memory", "list", "--al")).toEqual(["--all-projects"])
    expect(await complete("memory", "clusters", "--r")).toEqual(["--refresh"])
    expect(await complete("memory", "tags", "--c")).toEqual(["--clean-up"])
    expect(await complete("sessions", "--tool", "")).toEqual([""])
    expect(await complete("sessions", "--project", "--st")).toEqual(["--status"])
  })

  test("works in a real bash", async () => {
    const { run, home } = createPlainInstallation()
    const { stdout } = await run("completion", "bash")
    const script = `
      reverie() { "$PROGRAM" "$@"; }
      ${stdout}
      COMP_WORDS=(reverie memory se); COMP_CWORD=2; _reverie_complete; printf '%s\\n' "\${COMPREPLY[@]}"`
    const env = { ...process.env, REVERIE_HOME: home, PROGRAM: program }
    expect(execFileSync("bash", ["-c", script], { env, encoding: "utf8" })).toBe("search\n")
  })
})
