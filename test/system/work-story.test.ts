import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { letTimePass, withStore } from "../../testkit/crash/kill-tending.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createInstallation } from "../../testkit/program/program.ts"
import { createFailingProject, rightLine } from "../../testkit/work/failing-project.ts"
import { playFixer } from "../../testkit/work/fixer-agent.ts"

async function open(level = "work") {
  const project = createFailingProject()
  const server = await serveModel()
  playFixer(server)
  const home = throwawayFolder()
  writeFileSync(
    join(home, "config.toml"),
    `
[embedding]
model = "none"
[sessions]
enabled = false
[models]
provider = "local"
local_url = "${server.url}/v1"
local_model = "gardener"
[api]
http = false
[notify]
desktop = "off"
`,
    { mode: 0o600 },
  )
  const installation = createInstallation({ home })
  await installation.run("memory", "add", "The sums live in sum.mjs.", "--project", project.root)
  await installation.run("trust", level)
  const daemon = await installation.daemon()
  const inbox = async () => (await installation.json<Answer<"inbox">>("inbox", "list", "--all")).requests
  /** Waits for a request that is in this state. */
  const settled = async (state: string, number = 1) => {
    for (;;) {
      const found = (await inbox()).filter((request) => request.state === state)
      if (found.length >= number) return found
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const url = `sqlite:${installation.paths.databaseFile}`
  /** Has the next cycle, an hour later as far as the budget knows. */
  const nextCycle = async () => {
    await withStore({ url }, letTimePass)
    await installation.run("wake", "--wait")
  }
  return { project, server, installation, daemon, settled, inbox, nextCycle }
}

describe("A failing test", () => {
  test("is found by the scout, fixed in the sandbox, put into the inbox, approved, pushed, and remembered", async () => {
    const { project, server, installation, settled, inbox, nextCycle } = await open()
    const head = project.git("rev-parse", "HEAD")
    const [request] = await settled("pending")
    expect(request).toMatchObject({
      action: "fix_failing_test",
      description: "Add instead of subtracting",
      context: { risks: ["somebody may rely on the wrong sum"], files: ["sum.mjs (+1 -1)"] },
      call: {
        tool: "push_branch",
        input: { remote: "origin", branch: expect.stringMatching(/^ambient\/fix-the-sum-[a-z0-9]{4}$/) },
      },
    })
    expect(request?.context.diff).toContain(`+${rightLine}`)
    expect(request?.context.tests).toMatch(
      /before: npm test --silent: failed[\s\S]*after: npm test --silent: passed/,
    )
    expect(project.pushed()).toEqual([])
    const shown = await installation.run("inbox", "show", request?.id ?? "")
    expect(shown.stdout).toMatch(/Risks[\s\S]*Runs exactly this, once:[\s\S]*push_branch/)
    const { code, stderr } = await installation.run("inbox", "approve", request?.id ?? "")
    expect([code, stderr]).toEqual([0, expect.stringContaining("It runs now")])
    await settled("done")
    const branch = String(request?.call?.input.branch)
    expect(project.pushed()).toEqual([branch])
    expect(project.git("ls-remote", project.bare, `refs/heads/${branch}`)).toContain(
      String(request?.call?.input.commit),
    )
    const log = project.git("--git-dir", project.bare, "log", "-1", "--format=%B", branch)
    expect(log).toMatch(/Reverie-Cycle: cycle_/)
    expect([project.git("rev-parse", "HEAD"), project.git("status", "--porcelain")]).toEqual([head, ""])
    await expect.poll(() => project.worktrees(), { timeout: 20_000 }).toEqual([])
    await nextCycle()
    const prompt = JSON.stringify(server.requests.at(-1)?.asked.messages[0])
    expect(prompt).toContain("I approve of what Reverie asked to do (fix_failing_test")
    expect(await inbox()).toHaveLength(1)
  })

  test("that was denied leaves nothing behind, and the same is not proposed a third time", async () => {
    const { project, server, installation, settled, inbox, nextCycle } = await open()
    const [request] = await settled("pending")
    const denied = await installation.run("inbox", "deny", request?.id ?? "", "I fix this myself")
    expect(denied.code).toBe(0)
    const left = () => [...project.worktrees(), project.git("branch", "--list", "ambient/*")].join("")
    await expect.poll(left, { timeout: 20_000 }).toBe("")
    project.commit({ "notes.md": "another commit\n" })
    await nextCycle()
    const [second] = await settled("pending")
    await installation.run("inbox", "deny", second?.id ?? "")
    project.commit({ "notes.md": "a third commit\n" })
    await nextCycle()
    expect((await inbox()).map(({ state }) => state)).toEqual(["denied", "denied"])
    const prompts = server.requests.map(({ asked }) => JSON.stringify(asked.messages))
    expect(prompts.some((prompt) => prompt.includes("I fix this myself"))).toBe(true)
    expect(project.pushed()).toEqual([])
  })

  test("is not worked on below the level work; what was seen stands in the receipt", async () => {
    const { project, installation, inbox, nextCycle } = await open("garden")
    project.commit({ "sum.mjs": "// TODO: add instead of subtracting\nexport const sum = (a, b) => a - b\n" })
    await nextCycle()
    expect(await inbox()).toEqual([])
    const { cycles } = await installation.json<Answer<"cycles">>("cycles", "list")
    expect(cycles.flatMap(({ receipt }) => receipt.found).join(" ")).toContain(
      "TODO: add instead of subtracting",
    )
    const unknown = await installation.run("inbox", "show", "ask_nothing")
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("There is no request")])
  })
})
