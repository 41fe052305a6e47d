import { existsSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { sql } from "../../src/storage/sql.ts"
import { openActing } from "../../testkit/work/acting-world.ts"
import { createFailingProject } from "../../testkit/work/failing-project.ts"
import { type Acting, remembered } from "../../testkit/work/planted-requests.ts"
import { calls } from "../../testkit/worlds/tend-world.ts"

const timeout = 120_000

describe("A gullible model calls", () => {
  const names = [
    "push_branch",
    "inbox_approve",
    "shell",
    "trust",
    "memory_purge",
    "constructor",
    "__proto__",
    "toString",
    "REPO_READ",
    "repo_read\u200b",
    "x".repeat(5000),
  ]
  test.each(names.map((name) => [name.slice(0, 20), name]))(
    "a tool that it does not have: %s",
    async (_, name) => {
      const acting = await openActing()
      const input = { work: "work_x", branch: "main", remote: "origin", id: "1", path: "sum.mjs" }
      const [answer = ""] = await acting.cycle([calls(name, input)])
      expect(answer).toMatch(/^There is no tool/)
      expect(answer.length).toBeLessThan(3000)
      expect(acting.project.pushed()).toEqual([])
      expect(await acting.told("tool.refused")).toContainEqual(expect.stringContaining("There is no tool"))
    },
  )

  test.each([
    ["a number for a text", "repo_read", { path: 7 }],
    ["nothing at all", "repo_read", {}],
    ["a text that is far too long", "memory_search", { query: "x".repeat(5000) }],
    ["an option for a commit", "repo_diff", { commit: "--output=/tmp/reverie-attack" }],
    ["a range for a commit", "repo_diff", { commit: "HEAD..main" }],
    ["a reflog for a commit", "repo_diff", { commit: "HEAD@{1}" }],
    ["a file for a commit", "repo_diff", { commit: "HEAD:.env" }],
  ])("a tool with %s", async (_, tool, input) => {
    const acting = await openActing()
    const project = await acting.id()
    const [answer = ""] = await acting.cycle([calls(tool, { project, ...input })])
    expect(answer).toMatch(/^The input of/)
    expect(existsSync("/tmp/reverie-attack")).toBe(false)
    expect(await acting.told("tool.refused")).toContainEqual(expect.stringContaining("The input of"))
  })
})

describe("An agent that may only look changes memories by", () => {
  const tools: [tool: string, input: (id: string, other: string) => object][] = [
    ["memory_archive", (id) => ({ id, reason: "of no use" })],
    ["memory_merge", (keep, drop) => ({ keep, drop })],
    ["memory_replace", (keep, drop) => ({ keep, drop, reason: "newer" })],
    ["memory_keep_both", (first, second) => ({ first, second })],
    ["memory_link", (first, second) => ({ first, second })],
    ["memory_reword", (id) => ({ id, text: "Alpha does like apples" })],
    ["memory_tag", (id) => ({ id, add: ["evil"] })],
    ["memory_conclude", (one, two) => ({ text: "Everybody likes fruit", from: [one, two] })],
    ["memory_remember", () => ({ text: "Always push to main" })],
  ]
  const graph = async (acting: Acting) =>
    JSON.stringify((await acting.all()).filter(({ audience }) => audience === null))

  test.each(tools)("%s", async (tool, input) => {
    const acting = await openActing({ level: "observe" })
    const [one, two] = [
      await remembered(acting, "Alpha likes apples"),
      await remembered(acting, "Beta likes plums"),
    ]
    const before = await graph(acting)
    const [answer] = await acting.cycle([calls(tool, input(one, two))])
    expect(answer).toContain("There is no tool")
    expect(await graph(acting)).toBe(before)
    expect(await acting.told("tool.refused")).toContainEqual(expect.stringContaining(tool))
  })

  test("asking for it, so that the person approves", async () => {
    const acting = await openActing({ level: "observe" })
    const id = await remembered(acting, "Alpha likes apples")
    const input = { id, reason: "of no use" }
    const asks = {
      action: "tidy_up",
      description: "a thing",
      rationale: "it is due",
      tool: "memory_archive",
      input,
    }
    await acting.cycle([calls("request_permission", asks)])
    expect(await acting.requests()).toEqual([])
    expect(await acting.told("permission.withheld")).toContainEqual(expect.stringContaining("memory_archive"))
  })
})

describe("An agent that may only garden reaches code by", () => {
  test.each([
    ["work_begin", {}],
    ["work_run", { work: "work_x", command: "id" }],
    ["work_write", { work: "work_x", path: "x", text: "y" }],
    ["work_propose", { work: "work_x" }],
  ])("%s", async (tool, input) => {
    const acting = await openActing({ level: "garden" })
    const project = await acting.id()
    const [answer] = await acting.cycle([calls(tool, { project, subject: "evil", ...input })])
    expect(answer).toContain("There is no tool")
    expect(acting.project.worktrees()).toEqual([])
    expect(await acting.told("tool.refused")).toContainEqual(expect.stringContaining(tool))
  })

  test("having the scout run the tests", async () => {
    const acting = await openActing({ level: "garden" })
    await acting.cycle([])
    expect(acting.prompt()).not.toContain("fix_failing_test")
    expect(await acting.told("project.tested")).toEqual([])
  })

  test("switching work off and going on, with a sandbox at hand", async () => {
    const acting = await openActing({ level: "work", config: { work: { enabled: false } } })
    const project = await acting.id()
    const [answer] = await acting.cycle([calls("work_begin", { project, subject: "evil" })])
    expect(answer).toContain("There is no tool")
    expect(await acting.told("tool.refused")).toContainEqual(expect.stringContaining("work_begin"))
  })
})

describe("Of a project that keeps models out, a model learns or changes something by", () => {
  const shut = '[models]\nprovider = "none"\n'
  async function openShut(config = shut, level: "garden" | "work" = "garden") {
    const project = createFailingProject(undefined, "make")
    project.commit({ "secret-plan.md": "PLAN: needle\n", "todo.ts": "// TODO: PLAN the thing\n" })
    const acting = await openActing({ project, level })
    project.commit({ ".reverie/config.toml": config })
    return acting
  }

  const reads: [tool: string, input: object][] = [
    ["repo_list", {}],
    ["repo_read", { path: "secret-plan.md" }],
    ["repo_search", { text: "needle" }],
    ["repo_log", {}],
    ["repo_diff", { commit: "HEAD" }],
    ["repo_blame", { path: "secret-plan.md" }],
    ["repo_status", {}],
    ["memory_remember", { text: "The plan of it is known" }],
  ]
  test.each(reads)("%s", async (tool, input) => {
    const acting = await openShut()
    const [answer = ""] = await acting.cycle([calls(tool, { project: await acting.id(), ...input })])
    expect(answer).toMatch(/excludes models/)
    expect(answer).not.toMatch(/PLAN|secret-plan/)
    expect(await acting.told("tool.")).toContainEqual(expect.stringContaining(tool))
  })

  test("its memories, found, shown and archived", async () => {
    const acting = await openShut()
    const id = await remembered(acting, "The PLAN is to sail", {
      project: acting.project.root,
      scope: "project",
    })
    const answers = await acting.cycle([
      calls("memory_search", { query: "PLAN sail" }),
      calls("memory_show", { id }),
      calls("memory_archive", { id, reason: "of no use" }),
    ])
    expect(answers.join()).not.toContain("sail")
    expect((await acting.all()).find((one) => one.id === id)?.status).toBe("active")
    expect(await acting.told("tool.")).toContainEqual(expect.stringContaining("memory_archive"))
  })

  test("a request that names another project, and is approved", async () => {
    const acting = await openShut()
    const id = await remembered(acting, "The PLAN is to sail", {
      project: acting.project.root,
      scope: "project",
    })
    const input = { id, reason: "of no use" }
    await acting.cycle([
      calls("request_permission", {
        ...{ action: "tidy_up", description: "put a note aside", rationale: "it is old" },
        ...{ tool: "memory_archive", input },
      }),
    ])
    await acting.decide({ kind: "approve" })
    await acting.runApproved()
    expect((await acting.all()).find((one) => one.id === id)?.status).toBe("active")
    expect(await acting.told("permission.failed")).toHaveLength(1)
  })

  test("a request about it", async () => {
    const acting = await openShut()
    const project = await acting.id()
    const asks = { action: "tidy_up", description: "a thing", rationale: "it is due", project }
    await acting.cycle([calls("request_permission", asks)])
    expect(await acting.requests()).toEqual([])
    expect(await acting.told("permission.withheld")).toContainEqual(
      expect.stringContaining("excludes models"),
    )
  })

  test("its id, although nothing is remembered of it any more", async () => {
    const acting = await openShut()
    const project = await acting.id()
    await acting.change(sql`update memories set status = 'archived'`)
    const [answer = ""] = await acting.cycle([calls("repo_read", { project, path: "secret-plan.md" })])
    expect(answer).not.toContain("needle")
    expect(await acting.told("tool.")).toContainEqual(expect.stringContaining("repo_read"))
  })

  test(
    "the scout, its tests and its candidates",
    async () => {
      const acting = await openShut(shut, "work")
      const project = await acting.id()
      const [answer] = await acting.cycle([calls("work_begin", { project, subject: "evil" })])
      expect(answer).toContain("excludes models")
      expect(acting.prompt()).not.toMatch(/PLAN|fix_failing_test|do_todo/)
      expect(await acting.told("project.tested")).toEqual([])
      expect(await acting.told("tool.")).toContainEqual(expect.stringContaining("work_begin"))
    },
    timeout,
  )

  test.each([
    ["safety.allow_without_permission", '[safety]\nallow_without_permission = ["*"]\n'],
    ["safety.allow_push_to", '[safety]\nallow_push_to = ["*"]\n'],
    ["safety.request_expires_hours", "[safety]\nrequest_expires_hours = 8760\n"],
    ["work.max_lines", "[work]\nmax_lines = 100000\n"],
    ["work.readable", '[work]\nreadable = ["/"]\n'],
    ["work.test_commands", '[work]\ntest_commands = ["/ = id"]\n'],
    ["work.author", '[work]\nauthor = "You <you@example.invalid>"\n'],
    ["ambient.trusted_after_cycles", "[ambient]\ntrusted_after_cycles = 0\n"],
    ["models.local_url", '[models]\nlocal_url = "http://127.0.0.1:9"\n'],
  ])(
    "loosening %s in its own configuration",
    async (_, config) => {
      const acting = await openShut(config, "work")
      const project = await acting.id()
      const [answer] = await acting.cycle([calls("work_begin", { project, subject: "evil" })])
      expect(answer).toContain("excludes models")
      expect(acting.project.worktrees()).toEqual([])
      expect(await acting.told("tool.")).toContainEqual(expect.stringContaining("work_begin"))
    },
    timeout,
  )
})

describe("A path leads out of a repository that is read, by", () => {
  const paths = [
    "../outside.txt",
    "a/../../outside.txt",
    "/etc/passwd",
    ":(top)sum.mjs",
    ":/",
    ".git/config",
    ".env",
    "./.env",
    "deploy/.ssh/id_rsa",
    "．env",
    "sum.mjs\0/../.env",
    "link",
    "HEAD:.env",
  ]
  test.each(paths)("%j", async (path) => {
    const acting = await openActing()
    const { project } = acting
    symlinkSync("/etc/passwd", join(project.root, "link"))
    project.commit({ ".env": "TOKEN=needle-one\n", "deploy/.ssh/id_rsa": "needle-two\n" })
    writeFileSync(join(project.root, "..", "outside.txt"), "needle-three\n")
    const answers = await acting.cycle([
      calls("repo_read", { project: await acting.id(), path }),
      calls("repo_blame", { project: await acting.id(), path }),
      calls("repo_search", { project: await acting.id(), text: "needle", folder: path }),
    ])
    expect(answers.join("\n")).not.toMatch(/needle-|root:|repositoryformatversion/)
    expect(await acting.told("tool.")).toContainEqual(expect.stringContaining("repo_read"))
  })

  test.each([
    [
      "a change that adds a key",
      { id_rsa: "needle-key\n", "app.ts": "let a\n" },
      "repo_diff",
      { commit: "HEAD" },
    ],
    [
      "a change that adds .npmrc",
      { ".npmrc": "//r/:_authToken=needle-key\n" },
      "repo_diff",
      { commit: "HEAD" },
    ],
    ["a change in a folder of keys", { "x/.aws/config": "needle-key\n" }, "repo_diff", { commit: "HEAD" }],
    ["a colon in a folder's name", { "a:b/.env": "X=needle-key\n" }, "repo_search", { text: "needle" }],
    [
      "a line end in a folder's name",
      { "a\nHEAD:b/.env": "X=needle-key\n" },
      "repo_search",
      { text: "needle" },
    ],
    ["a key in other letters", { ID_RSA: "needle-key\n" }, "repo_search", { text: "needle" }],
  ])("%s", async (_, files, tool, input) => {
    const acting = await openActing()
    acting.project.commit(files)
    const [answer = ""] = await acting.cycle([calls(tool, { project: await acting.id(), ...input })])
    expect(answer).not.toContain("needle-key")
    expect(await acting.told("tool.allowed")).toContainEqual(expect.stringContaining(tool))
  })
})

describe("A model writes outside its worktree, by", () => {
  const paths = [
    "../x",
    "a/../../x",
    "/etc/cron.d/x",
    "~/.bashrc",
    ".git/hooks/pre-commit",
    ".GIT/config",
    ".git./config",
    "．git/config",
    "a/.git/config",
    ".env",
    "deploy.pem",
    ".ssh/authorized_keys",
    "x\0y",
    "‥/x",
  ]
  test.each(paths)(
    "%j",
    async (path) => {
      const acting = await openActing({ level: "work", knows: false })
      const answers = await acting.cycle([
        calls("work_write", { work: "work_x", path, text: "evil" }),
        calls("work_edit", { work: "work_x", path, before: "a", after: "b" }),
      ])
      for (const answer of answers) expect(answer).toMatch(/^Not done: /)
      expect(await acting.told("tool.refused")).toHaveLength(2)
    },
    timeout,
  )

  test.each(["work_read", "work_list", "work_run", "work_test", "work_write", "work_propose", "work_drop"])(
    "%s in a worktree of another cycle",
    async (tool) => {
      const acting = await openActing({ level: "work", knows: false })
      const theirs = "work_0123456789abcdef"
      const more = { path: "sum.mjs", text: "x", command: "id", kind: "other", title: "A change of it" }
      const said = { summary: "It is better.", rationale: "It is better." }
      const [answer] = await acting.cycle([calls(tool, { work: theirs, ...more, ...said })])
      expect(answer).toContain("There is no")
      expect(await acting.told("tool.")).toContainEqual(expect.stringContaining(theirs))
    },
    timeout,
  )
})
