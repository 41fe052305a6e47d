import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { selectMemories } from "../../src/memory/model/store/store.ts"
import { sql } from "../../src/storage/sql.ts"
import { repositoryTools } from "../../src/tools/repository.ts"
import { createRepository } from "../../testkit/git-repository.ts"
import { configure, hostileRepository } from "../../testkit/hostile/hostile-repository.ts"
import { describeDatabases, type TestDatabase } from "../../testkit/setup/databases.ts"
import { openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const signal = new AbortController().signal

async function openTools(store: TestDatabase, root: string) {
  const world = await openMemoryWorld(store)
  await world.remember("It is a repository.", { project: root, scope: "project" })
  const [memory] = await selectMemories(world.db, sql`true`)
  const project = memory?.project ?? ""
  const excluded = new Set<string>()
  const tools = repositoryTools({ ...world, install: "install_test", excluded })
  const call = async (name: string, input: object = {}) => {
    const checked = tools.find(({ shape }) => shape.name === name)?.check({ project, ...input })
    if (checked === undefined || "problem" in checked) return checked?.problem ?? "no tool"
    return (await checked.run(signal)).text
  }
  return { call, excluded, project, tools }
}

describeDatabases("Tools that read a repository", (create) => {
  const open = async (root: string) => openTools(await create(), root)

  it("list, read, search and tell its history, as others' text", async () => {
    const repository = createRepository()
    repository.commit({ "src/app.ts": "const tide = 1\nconst moon = 2\n", "README.md": "Tides.\n" })
    repository.commit({ "src/app.ts": "const tide = 1\nconst moon = 3\n" })
    const { call } = await open(repository.root)
    expect(await call("repo_list")).toContain("src/app.ts")
    expect(await call("repo_list", { folder: "src" })).not.toContain("README")
    const read = await call("repo_read", { path: "src/app.ts" })
    expect(read).toContain("2: const moon = 3")
    expect(read).toMatch(/^<data>[\s\S]*<\/data>$/)
    expect(await call("repo_read", { path: "src/app.ts", from: 2, lines: 1 })).not.toContain("tide")
    expect(await call("repo_search", { text: "MOON" })).toContain("src/app.ts:2:const moon = 3")
    expect((await call("repo_log", { path: "README.md" })).match(/\d{4}-\d\d-\d\d/g)).toHaveLength(1)
    expect(await call("repo_diff", { commit: "HEAD" })).toContain("+const moon = 3")
    expect(await call("repo_blame", { path: "src/app.ts" })).toContain("const moon = 3")
    expect(await call("repo_status")).toContain("on main")
  })

  it("show no credentials, nothing outside, and nothing of a project that keeps models out", async () => {
    const repository = createRepository()
    repository.write({ "draft.txt": "a draft\n" })
    repository.commit({
      ".env": "TOKEN=abc\n",
      "deploy.pem": "-----BEGIN\n",
      "app.ts": 'const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"\n',
    })
    symlinkSync("/etc/hostname", join(repository.root, "link"))
    repository.git("add", "link")
    repository.commit()
    const { call, excluded, project } = await open(repository.root)
    expect(await call("repo_list")).not.toMatch(/\.env|pem/)
    expect(await call("repo_read", { path: ".env" })).toContain("contains credentials")
    expect(await call("repo_search", { text: "abc" })).not.toContain("TOKEN")
    expect(await call("repo_diff", { commit: "HEAD~1" })).not.toMatch(/TOKEN|BEGIN/)
    expect(await call("repo_read", { path: "app.ts" })).not.toContain("ghp_0123")
    expect(await call("repo_read", { path: "link" })).toContain("1: /etc/hostname")
    for (const path of ["../x", "/etc/passwd", ":/app.ts", "a/../../b"])
      expect(await call("repo_read", { path })).toMatch(/inside the repository|no file/)
    for (const commit of ["--output=/tmp/x", "HEAD..HEAD~1", "-p"])
      expect(await call("repo_diff", { commit })).toContain("is wrong")
    excluded.add(project)
    expect(await call("repo_list")).toBe("That project excludes models.")
  })

  it("start no program that the repository names", async () => {
    const repository = hostileRepository()
    repository.commit({ ".gitattributes": "* diff=evil filter=evil\n" })
    configure(repository, {
      "diff.evil.textconv": repository.spy,
      "diff.evil.command": repository.spy,
      "diff.external": repository.spy,
      "filter.evil.clean": repository.spy,
      "filter.evil.smudge": repository.spy,
      "core.fsmonitor": repository.spy,
      "core.pager": repository.spy,
      "alias.blame": `!${repository.spy}`,
      "alias.diff-tree": `!${repository.spy}`,
    })
    const { call } = await open(repository.root)
    for (const [name, input] of [
      ["repo_list", {}],
      ["repo_read", { path: "src/app.ts" }],
      ["repo_search", { text: "tide" }],
      ["repo_log", {}],
      ["repo_diff", { commit: "HEAD~1" }],
      ["repo_blame", { path: "src/app.ts" }],
      ["repo_status", {}],
    ] as const)
      await call(name, input)
    expect(repository.hasRun()).toBe(false)
  })
})
