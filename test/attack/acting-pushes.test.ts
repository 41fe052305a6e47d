import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { inWork, openActing } from "../../testkit/work/acting-world.ts"
import { createFailingProject, rightLine, wrongLine } from "../../testkit/work/failing-project.ts"
import { type Acting, changedLines, plant } from "../../testkit/work/planted-requests.ts"
import { calls } from "../../testkit/worlds/tend-world.ts"

const timeout = 120_000

describe("What is pushed is not what was shown, because", () => {
  const fix = inWork("work_edit", { path: "sum.mjs", before: wrongLine, after: rightLine })
  const proposal = {
    ...{ kind: "fix_failing_test", title: "Add instead of subtracting", summary: "It adds now." },
    ...{ rationale: "The tests fail.", draft_pull_request: false },
  }
  const propose = inWork("work_propose", proposal)

  async function story(acting: Acting, ...between: Parameters<Acting["cycle"]>[0]) {
    const project = await acting.id()
    return acting.cycle([calls("work_begin", { project, subject: "fix the sum" }), fix, ...between])
  }
  /** Approves it, and compares what came to the remote with what the inbox showed. */
  async function approve(acting: Acting) {
    await acting.decide({ kind: "approve" })
    await acting.runApproved()
    const [request] = await acting.requests()
    const [branch] = acting.project.pushed()
    if (branch === undefined) return { branch, shown: request?.context.diff ?? "", real: "", request }
    const real = acting.project.git("--git-dir", acting.project.bare, "diff", "--no-renames", "main", branch)
    return { branch, shown: (request?.context.diff ?? "").trim(), real, request }
  }

  test(
    "the tests write a file while they run",
    async () => {
      const acting = await openActing({ level: "work", project: createFailingProject() })
      acting.project.commit({
        "check.mjs": `import { readFileSync, writeFileSync } from "node:fs"
if (readFileSync("sum.mjs", "utf8").includes("a + b")) writeFileSync("evil.mjs", "evil()\\n")
`,
      })
      acting.project.git("push", "-q", "origin", "main")
      await story(acting, propose)
      const { shown, real, branch } = await approve(acting)
      expect(branch).toBeDefined()
      expect(shown).toContain("evil.mjs")
      expect(changedLines(real)).toEqual(changedLines(shown))
      expect(await acting.told("permission.done")).toHaveLength(1)
    },
    timeout,
  )

  test(
    "the tests write another file each time they run",
    async () => {
      const acting = await openActing({ level: "work", project: createFailingProject() })
      acting.project.commit({
        "check.mjs": `import { writeFileSync } from "node:fs"
writeFileSync("evil.mjs", String(process.hrtime.bigint() % 997n) + "\\n")
`,
      })
      acting.project.git("push", "-q", "origin", "main")
      await story(acting, propose)
      const { shown, real } = await approve(acting)
      expect(changedLines(real)).toEqual(changedLines(shown))
      expect(await acting.told("permission.done")).toHaveLength(1)
    },
    timeout,
  )

  test(
    "the model goes on changing the worktree",
    async () => {
      const acting = await openActing({ level: "work" })
      await story(acting, propose, inWork("work_write", { path: "evil.mjs", text: "evil()\n" }))
      const { shown, real } = await approve(acting)
      expect(real).not.toContain("evil")
      expect(changedLines(real)).toEqual(changedLines(shown))
      expect(await acting.told("permission.done")).toHaveLength(1)
    },
    timeout,
  )

  test(
    "the model proposes something else on the same branch",
    async () => {
      const acting = await openActing({ level: "work" })
      const evil = inWork("work_write", { path: "evil.mjs", text: "evil()\n" })
      const again = inWork("work_propose", { ...proposal, kind: "other", title: "Something else entirely" })
      await story(acting, propose, evil, again)
      const first = (await acting.requests()).find(({ action }) => action === "fix_failing_test")
      await acting.decide({ kind: "approve" }, first?.id)
      await acting.runApproved()
      expect(acting.project.pushed()).toEqual([])
      expect(await acting.told("permission.failed")).toHaveLength(1)
    },
    timeout,
  )

  test(
    "the model drops it after it was shown",
    async () => {
      const acting = await openActing({ level: "work" })
      await story(acting, propose, inWork("work_drop", {}))
      const { branch } = await approve(acting)
      expect(branch).toBeUndefined()
      expect(await acting.told("permission.failed")).toHaveLength(1)
    },
    timeout,
  )

  test(
    "its branch was moved in the repository",
    async () => {
      const acting = await openActing({ level: "work" })
      await story(acting, propose)
      const [request] = await acting.requests()
      acting.project.commit({ "evil.mjs": "evil()\n" })
      acting.project.git("update-ref", `refs/heads/${request?.call?.input.branch}`, "HEAD")
      const { real } = await approve(acting)
      expect(real).not.toContain("evil")
      expect(await acting.told("permission.approved")).toHaveLength(1)
    },
    timeout,
  )

  test(
    "a line of it is too long to be shown",
    async () => {
      const acting = await openActing({ level: "work" })
      const command =
        'node -e \'require("fs").writeFileSync("evil.mjs", "x".repeat(300000) + "\\nevil()\\n")\''
      const answers = await story(acting, inWork("work_run", { command }), propose)
      expect(answers.at(-1)).toContain("Not proposed: it is too long")
      expect(await acting.requests()).toEqual([])
      expect(await acting.told("tool.allowed")).toContainEqual(expect.stringContaining("work_propose"))
    },
    timeout,
  )

  test(
    "it hides behind what looks like a secret",
    async () => {
      const acting = await openActing({ level: "work" })
      const text = 'const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"\n'
      const answers = await story(acting, inWork("work_write", { path: "key.mjs", text }), propose)
      expect(answers.at(-1)).toContain("Not proposed: it adds what looks like a secret")
      expect(await acting.requests()).toEqual([])
      expect(await acting.told("tool.allowed")).toContainEqual(expect.stringContaining("work_propose"))
    },
    timeout,
  )

  test(
    "it has characters that nobody sees, or that turn the line around",
    async () => {
      const acting = await openActing({ level: "work" })
      const text = "const a = 1 /*\u202e } \u2066if (isAdmin)\u2069 \u200b*/\n"
      await story(acting, inWork("work_write", { path: "turn.mjs", text }), propose)
      const [request] = await acting.requests()
      expect(request?.context.diff).toContain("\\u{202e}")
      expect(request?.context.diff).not.toMatch(/[\u202e\u2066\u200b]/)
      expect(await acting.told("permission.requested")).toHaveLength(1)
    },
    timeout,
  )

  test(
    "its words hold a secret that only the commit has",
    async () => {
      const acting = await openActing({ level: "work" })
      const summary = "The token is ghp_0123456789abcdefghijABCDEFGHIJ012345 now."
      await story(acting, inWork("work_propose", { ...proposal, summary }))
      const { branch = "" } = await approve(acting)
      const log = acting.project.git("--git-dir", acting.project.bare, "log", "-1", "--format=%B", branch)
      expect(log).not.toContain("ghp_")
      expect(await acting.told("permission.done")).toHaveLength(1)
    },
    timeout,
  )

  test.each([
    ["a remote that there is not", "evil"],
    ["an address for a remote", "https://127.0.0.1:9/x.git"],
    ["a program for a remote", "ext::sh -c id"],
    ["an option for a remote", "--mirror"],
    ["a folder for a remote", "../bare.git"],
  ])(
    "it names %s",
    async (_, remote) => {
      const acting = await openActing({ level: "work" })
      await story(acting, inWork("work_propose", { ...proposal, remote }))
      if ((await acting.requests()).length > 0) await approve(acting)
      expect(acting.project.pushed()).toEqual([])
      expect(await acting.told("permission.failed", "permission.withheld")).toHaveLength(1)
    },
    timeout,
  )

  test(
    "the cycle leaves ten worktrees behind",
    async () => {
      const acting = await openActing({ level: "work" })
      const project = await acting.id()
      const begin = (number: number) => calls("work_begin", { project, subject: `evil ${number}` })
      const answers = await acting.cycle(Array.from({ length: 7 }, (_, number) => begin(number)))
      expect(answers.filter((answer) => answer.startsWith("Begun"))).toHaveLength(5)
      expect(acting.project.worktrees()).toEqual([])
      expect(acting.project.git("branch", "--list", "ambient/*")).toBe("")
      expect(await acting.told("tool.allowed")).toContainEqual(expect.stringContaining("work_begin"))
    },
    timeout,
  )
})

describe("The agent approves itself in its sandbox by", () => {
  const commands: [name: string, command: (acting: Acting) => string][] = [
    ["the program", () => "reverie inbox approve ask_000000; npx reverie inbox approve ask_000000"],
    [
      "the daemon's socket",
      ({ needs }) => `curl -s --unix-socket '${needs.paths.stateDir}/reverie.sock' http://x/v1/inbox`,
    ],
    [
      "the configuration",
      ({ needs }) => `mkdir -p '${needs.paths.configFile}/..'; echo 'x' > '${needs.paths.configFile}'`,
    ],
    [
      "the state folder",
      ({ needs }) => `mkdir -p '${needs.paths.stateDir}'; echo x > '${needs.paths.stateDir}/evil'`,
    ],
    [
      "its environment",
      () => "env; export REVERIE_HOME=/tmp REVERIE_DATABASE_URL=sqlite:/tmp/x; reverie trust all",
    ],
    [
      "a transcript of its own",
      () => 'mkdir -p ~/.claude/projects/x; echo "{}" > ~/.claude/projects/x/y.jsonl; echo "$HOME"',
    ],
  ]
  test.each(commands)(
    "%s",
    async (_, command) => {
      const acting = await openActing({ level: "work" })
      const { id } = await plant(acting)
      const project = await acting.id()
      await acting.cycle([
        calls("work_begin", { project, subject: "evil" }),
        inWork("work_run", { command: command(acting) }),
      ])
      const { configFile, stateDir } = acting.needs.paths
      expect([existsSync(configFile), existsSync(join(stateDir, "evil"))]).toEqual([false, false])
      expect((await acting.requests()).find((one) => one.id === id)?.state).toBe("pending")
      expect(await acting.told("permission.approved")).toEqual([])
      expect(await acting.told("tool.allowed")).toContainEqual(expect.stringContaining("work_run"))
    },
    timeout,
  )
})

describe("A repository starts a program of its own when it is worked on and pushed, by", () => {
  type Plant = (acting: Acting, evil: string) => void
  const config =
    (settings: (evil: string) => Record<string, string>, files: Record<string, string> = {}): Plant =>
    ({ project }, evil) => {
      if (Object.keys(files).length > 0) project.commit(files)
      for (const [name, value] of Object.entries(settings(evil))) project.git("config", name, value)
    }
  const plants: [name: string, plant: Plant, runner?: "npm"][] = [
    // Each of these alone would do; none hides another, for all that run write down what they are.
    [
      "its settings",
      config(
        (evil) => ({
          "core.fsmonitor": evil,
          "core.hooksPath": join(evil, "..", "hooks"),
          "core.pager": evil,
          "core.editor": evil,
          "core.sshCommand": evil,
          "core.askPass": evil,
          "alias.push": `!${evil}`,
          "credential.helper": `!${evil}`,
          "diff.external": evil,
          "filter.e.clean": evil,
          "filter.e.smudge": evil,
          "filter.e.process": evil,
          "gpg.program": evil,
          "commit.gpgSign": "true",
          "push.gpgSign": "true",
        }),
        { ".gitattributes": "* filter=e\n" },
      ),
    ],
    ["a textconv", config((evil) => ({ "diff.e.textconv": evil }), { ".gitattributes": "* diff=e\n" })],
    ["another address", config((evil) => ({ [`url.ext::${evil} .insteadOf`]: "/" }))],
    [
      "receivepack and uploadpack",
      config((evil) => ({ "remote.origin.receivepack": evil, "remote.origin.uploadpack": evil })),
    ],
    [
      "an included file",
      ({ project }, evil) => {
        writeFileSync(
          join(project.root, "..", "more"),
          `[core]\n\tfsmonitor = ${evil}\n[diff]\n\texternal = ${evil}\n`,
        )
        project.git("config", "includeIf.gitdir:/.path", join(project.root, "..", "more"))
      },
    ],
    [
      "its packages' scripts",
      ({ project }, evil) =>
        project.commit({
          "package.json": JSON.stringify({
            name: "sums",
            scripts: {
              pretest: `'${evil}'`,
              test: "node check.mjs",
              posttest: `'${evil}'`,
              prepare: `'${evil}'`,
            },
          }),
          ".npmrc": `script-shell=${evil}\nnode-options=--require ${evil}\n`,
        }),
      "npm",
    ],
    [
      "its packages' programs",
      ({ project }, evil) => {
        mkdirSync(join(project.root, "node_modules/.bin"), { recursive: true })
        for (const name of ["node", "npm", "git", "sh"])
          writeFileSync(join(project.root, "node_modules/.bin", name), `#!/bin/sh\n'${evil}'\n`, {
            mode: 0o755,
          })
      },
      "npm",
    ],
  ]
  test.each(plants)(
    "%s",
    async (_, plantIt, runner?: "npm") => {
      const acting = await openActing({
        level: "work",
        project: createFailingProject(undefined, runner ?? "make"),
      })
      const { project } = acting
      const folder = join(project.root, "..")
      const evil = join(folder, "evil.sh")
      const ran = join(folder, "ran")
      mkdirSync(join(folder, "hooks"))
      writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> '${ran}'\ncat\n`, { mode: 0o755 })
      for (const hook of [
        "pre-commit",
        "post-checkout",
        "pre-push",
        "reference-transaction",
        "post-index-change",
      ])
        for (const where of [join(folder, "hooks"), join(project.root, ".git/hooks")])
          writeFileSync(join(where, hook), `#!/bin/sh\necho "$0 $*" >> '${ran}'\n`, { mode: 0o755 })
      const id = await acting.id()
      plantIt(acting, evil)
      rmSync(ran, { force: true })
      await acting.cycle([
        calls("repo_diff", { project: id, commit: "HEAD" }),
        calls("repo_blame", { project: id, path: "sum.mjs" }),
        calls("repo_status", { project: id }),
        calls("work_begin", { project: id, subject: "fix the sum" }),
        inWork("work_edit", { path: "sum.mjs", before: wrongLine, after: rightLine }),
        inWork("work_propose", {
          ...{ kind: "fix_failing_test", title: "Add instead of subtracting", summary: "It adds now." },
          ...{ rationale: "The tests fail.", draft_pull_request: false },
        }),
      ])
      if ((await acting.requests()).length > 0) {
        await acting.decide({ kind: "approve" })
        await acting.runApproved()
      }
      expect(existsSync(ran) ? readFileSync(ran, "utf8") : "").toBe("")
      expect(await acting.told("tool.allowed")).toContainEqual(expect.stringContaining("work_propose"))
    },
    timeout,
  )
})
