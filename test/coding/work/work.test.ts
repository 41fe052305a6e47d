import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { openDraft } from "../../../src/coding/work/publish/pull-request.ts"
import { compareUrl } from "../../../src/coding/work/publish/remote.ts"
import { openOutput } from "../../../src/coding/work/sandbox/output.ts"
import { seatbeltProfile } from "../../../src/coding/work/sandbox/seatbelt-profile.ts"
import { findTestCommand } from "../../../src/coding/work/tests/test-command.ts"
import { branchFor } from "../../../src/coding/work/worktree/branch-name.ts"
import { tooLarge } from "../../../src/coding/work/worktree/diff.ts"
import {
  listWorktrees,
  readWorktree,
  removeStaleWorktrees,
} from "../../../src/coding/work/worktree/marker.ts"
import { createWorktree } from "../../../src/coding/work/worktree/worktree.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"
import { isSandboxThere } from "../../../testkit/sandbox/sandbox-world.ts"
import { createWorkWorld } from "../../../testkit/sandbox/work-world.ts"

const timeout = 120_000

describe("A change to a project", () => {
  test.skipIf(!isSandboxThere)(
    "goes from a failing test to a pushed branch, and leaves the checkout alone",
    { timeout },
    async () => {
      const world = await createWorkWorld()
      const { repository } = world
      repository.write({ "tide.mjs": "export const tides = 7 // not committed\n" })
      const before = repository.git("status", "--porcelain=v2", "--branch")
      const worktree = await world.create()
      expect((await world.test(worktree)).passed).toBe(false)
      await world.files(worktree).editFile("tide.mjs", "tides = 1", "tides = 2")
      expect(await world.test(worktree)).toMatchObject({ passed: true, command: "npm test --silent" })
      const diff = await world.diff(worktree)
      expect(diff).toMatchObject({ outcome: "found", isCut: false, size: { lines: 2 } })
      expect(diff.outcome === "found" && diff.text).toContain("+export const tides = 2")
      const committed = await world.commit(worktree)
      if (committed.outcome !== "committed") throw new Error(committed.outcome)
      const told = repository.git("log", "-1", "--format=%an <%ae>%n%B", worktree.branch)
      expect(told).toBe("Reverie <reverie@localhost>\nCount both tides\n\nReverie-Cycle: cycle_1")
      expect((await world.commit(committed.worktree)).outcome).toBe("unchanged")
      expect(await world.push(committed.worktree)).toMatchObject({ outcome: "pushed", already: false })
      expect(await world.push(committed.worktree)).toMatchObject({ outcome: "pushed", already: true })
      expect(repository.git("ls-remote", "origin")).toBe(
        `${committed.commit}\trefs/heads/ambient/fix-the-tides`,
      )
      expect(repository.git("status", "--porcelain=v2", "--branch")).toBe(before)
      await world.remove(committed.worktree)
      expect(repository.git("branch", "--list")).toBe("* main")
      expect(existsSync(worktree.root)).toBe(false)
    },
  )

  test("gets another branch where one of its name is there", { timeout }, async () => {
    const world = await createWorkWorld()
    expect((await world.create()).branch).toBe("ambient/fix-the-tides")
    expect((await world.create()).branch).toBe("ambient/fix-the-tides-2")
    expect(branchFor("  Ä 'quoted' --force ../x  ")).toBe("ambient/a-quoted-force-x")
    expect(branchFor("潮")).toBe("ambient/change")
  })

  test("is not begun where work is switched off, outside of repositories and without a commit", async () => {
    const world = await createWorkWorld()
    const wanted = { project: world.repository.root, subject: "x", base: "HEAD", cycle: "c" }
    const off = { ...world.needs, work: { ...world.work, enabled: false } }
    const tries = [
      createWorktree(off, wanted),
      createWorktree(world.needs, { ...wanted, project: throwawayFolder() }),
      createWorktree(world.needs, { ...wanted, base: "nowhere" }),
      createWorktree(world.needs, { ...wanted, base: "--all" }),
    ]
    expect((await Promise.all(tries)).map(({ outcome }) => outcome)).toEqual(Array(4).fill("refused"))
  })

  test("is measured", () => {
    const file = { path: "a", added: 3, removed: 1, isBinary: false }
    const limits = { max_files: 2, max_lines: 10 }
    expect(tooLarge({ files: [file, file], lines: 8 }, limits)).toBeUndefined()
    expect(tooLarge({ files: [file, file, file], lines: 9 }, limits)).toContain("work.max_files")
    expect(tooLarge({ files: [file], lines: 11 }, limits)).toContain("work.max_lines")
    expect(tooLarge({ files: [{ ...file, isBinary: true }], lines: 0 }, limits)).toContain("not text")
  })

  test("is by whom the configuration says", { timeout }, async () => {
    const world = await createWorkWorld({ author: "Robot <robot@example.org>" })
    const { worktree } = await world.story()
    expect(world.repository.git("log", "-1", "--format=%cn %ae", worktree.branch)).toBe(
      "Robot robot@example.org",
    )
  })
})

describe("What a process that died left behind", () => {
  test("is removed with its branch, unless it still waits for a decision", { timeout }, async () => {
    const world = await createWorkWorld()
    const [gone, waits] = [await world.create(), await world.create()]
    mkdirSync(join(world.paths.stateDir, "work/half-made"), { recursive: true })
    expect((await listWorktrees(world.needs)).map(({ id }) => id).sort()).toEqual([gone.id, waits.id].sort())
    const { removed, kept } = await removeStaleWorktrees(world.needs, ({ id }) => id === waits.id)
    expect({ removed: removed.sort(), kept }).toEqual({
      removed: ["half-made", gone.id].sort(),
      kept: [waits.id],
    })
    expect(existsSync(gone.root)).toBe(false)
    expect(world.repository.git("branch", "--list", "ambient/*", "--format=%(refname:short)")).toBe(
      waits.branch,
    )
    expect(await readWorktree(world.needs, waits.id)).toEqual(waits)
  })

  test("keeps a branch that somebody else added to", { timeout }, async () => {
    const world = await createWorkWorld()
    const { worktree } = await world.story()
    const tree = world.repository.git("rev-parse", "HEAD^{tree}")
    const theirs = world.repository.git("commit-tree", tree, "-p", worktree.tip, "-m", "mine")
    world.repository.git("update-ref", `refs/heads/${worktree.branch}`, theirs)
    await world.remove(worktree)
    expect(world.repository.git("rev-parse", worktree.branch)).toBe(theirs)
  })
})

describe("How tests are run", () => {
  const shapes: [Record<string, string>, string | undefined][] = [
    [{ "package.json": '{"scripts":{"test":"vitest"}}' }, "npm test --silent"],
    [
      {
        "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}',
        "go.mod": "",
      },
      "go test ./...",
    ],
    [{ Makefile: "all:\n\ntest: all\n\t./check\n" }, "make test"],
    [{ "pyproject.toml": "[tool.pytest.ini_options]\n" }, "python3 -m pytest -q"],
    [{ "Cargo.toml": "" }, "cargo test --offline --quiet"],
    [{ "package.json": "{ broken" }, undefined],
    [{}, undefined],
  ]
  test.each(shapes)("is read from %o", async (files, command) => {
    const root = throwawayFolder()
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
    expect(await findTestCommand({ test_commands: [] }, { root, project: root })).toBe(command)
  })

  test("is what the person says for the project's folder", async () => {
    const root = throwawayFolder()
    writeFileSync(join(root, "Cargo.toml"), "")
    const work = { test_commands: ["/elsewhere = false", `${root}/ = make check`] }
    expect(await findTestCommand(work, { root, project: root })).toBe("make check")
  })
})

describe("A pull request", () => {
  const remote = {
    name: "origin",
    url: "git@github.com:acme/shop.git",
    host: "github.com",
    path: "acme/shop",
  }
  const wanted = { remote, branch: "ambient/x", base: "main", title: "Fix", body: "Because" }

  test.each([
    ["github.com", "https://github.com/acme/shop/compare/main...ambient/x?expand=1"],
    [
      "gitlab.com",
      "https://gitlab.com/acme/shop/-/merge_requests/new?merge_request%5Bsource_branch%5D=ambient%2Fx&merge_request%5Btarget_branch%5D=main",
    ],
    ["bitbucket.org", "https://bitbucket.org/acme/shop/pull-requests/new?source=ambient%2Fx&dest=main"],
    ["example.org", undefined],
  ])("at %s can be begun by a link", (host, url) => {
    expect(compareUrl({ ...remote, host }, "main", "ambient/x")).toBe(url)
  })

  test("is opened by gh", async () => {
    const gh = join(throwawayFolder(), "gh")
    writeFileSync(
      gh,
      '#!/bin/sh\n[ "$(cat)" = Because ] && echo "$*" | grep -q -- --draft && echo https://github.com/acme/shop/pull/7\n',
    )
    chmodSync(gh, 0o755)
    expect(await openDraft({ ...wanted, gh })).toEqual({
      outcome: "opened",
      url: "https://github.com/acme/shop/pull/7",
      by: "gh",
    })
  })

  test("is opened once by a token where there is no gh, else a link is given", async () => {
    const opened: unknown[] = []
    const server = createServer((asked, answer) => {
      const parts: Buffer[] = []
      asked.on("data", (part: Buffer) => parts.push(part))
      asked.on("end", () => {
        if (asked.method === "POST") opened.push(JSON.parse(Buffer.concat(parts).toString()))
        const url = { html_url: "https://github.com/acme/shop/pull/8" }
        answer.setHeader("content-type", "application/json")
        answer.end(JSON.stringify(asked.method === "POST" ? url : opened.map(() => url)))
      })
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const address = server.address()
    const apiUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
    const asked = { ...wanted, gh: "/nowhere/gh", token: "t", apiUrl }
    for (let round = 0; round < 2; round += 1)
      expect(await openDraft(asked)).toEqual({
        outcome: "opened",
        url: "https://github.com/acme/shop/pull/8",
        by: "api",
      })
    expect(opened).toEqual([{ title: "Fix", body: "Because", base: "main", head: "ambient/x", draft: true }])
    expect(await openDraft({ ...wanted, gh: "/nowhere/gh" })).toMatchObject({
      outcome: "link",
      reason: "gh is not installed",
    })
  })
})

test("A long output keeps its beginning and its end", () => {
  const output = openOutput()
  output.add(Buffer.from("first\n"))
  for (let round = 0; round < 100; round += 1) output.add(Buffer.alloc(10_000, 120))
  output.add(Buffer.from("\nlast"))
  expect(output.text()).toMatch(/^first\n.*characters left out.*last$/s)
  expect(output.text().length).toBeLessThan(70_000)
})

test("The profile for macOS closes everything first, and git's own files last", () => {
  const view = {
    root: '/a "b"',
    readable: [{ from: "/p/node_modules", to: '/a "b"/node_modules' }],
    files: [],
  }
  const lines = seatbeltProfile(view, ["/opt/node"]).split("\n")
  expect(lines[1]).toBe("(deny default)")
  expect(lines).toContain('(allow file-read* file-write* (subpath "/a \\"b\\""))')
  expect(lines).toContain(
    '(deny file-write* (literal "/a \\"b\\"/.git") (subpath "/a \\"b\\"/node_modules"))',
  )
  expect(lines.at(-1)).toBe("(deny network*)")
})
