import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

function git(folder: string, ...args: string[]): void {
  const identity = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.invalid",
    "-c",
    "init.defaultBranch=main",
  ]
  execFileSync("git", ["-C", folder, ...identity, ...args], { stdio: "pipe" })
}

function repository(remote?: string): string {
  const folder = join(throwawayFolder(), "work tree")
  mkdirSync(folder)
  git(folder, "init")
  git(folder, "commit", "--allow-empty", "-m", "begin")
  if (remote) git(folder, "remote", "add", "origin", remote)
  return folder
}

const identifyProject = (project: string) => createProjectFinder({ clock: createManualClock() }).find(project)

test("every way of writing a remote is the same project", async () => {
  const ways = [
    "git@Example.org:team/app.git",
    "https://example.org/team/app",
    "https://user:secret@example.org:443/team/app.git/",
    "ssh://git@example.org:22/team/app.git",
  ]
  const identities = await Promise.all(ways.map((remote) => identifyProject(repository(remote))))
  expect(new Set(identities.map(({ keys }) => keys[0]))).toEqual(new Set(["remote:example.org/team/app"]))
  expect(JSON.stringify(identities)).not.toContain("secret")
  expect(identities[0]?.name).toBe("app")
})

test("a remote on this machine is its full path, and git variables of the caller change nothing", async () => {
  const [one, two] = [repository("../origin.git"), repository("../origin.git")]
  expect((await identifyProject(one)).keys[0]).not.toBe((await identifyProject(two)).keys[0])
  vi.stubEnv("GIT_DIR", join(two, ".git"))
  onTestFinished(() => void vi.unstubAllEnvs())
  expect((await identifyProject(one)).root).toBe(one)
})

test("a folder outside git is its own project, and a subfolder of a work tree belongs to the whole", async () => {
  const plain = throwawayFolder()
  expect((await identifyProject(plain)).keys).toEqual([`path:${plain}`])
  const folder = repository()
  mkdirSync(join(folder, "deep/er"), { recursive: true })
  expect(await identifyProject(join(folder, "deep/er"))).toEqual(await identifyProject(folder))
})

describeDatabases("Projects", (create) => {
  test("worktrees and clones of one repository share one memory", async () => {
    const world = await openMemoryWorld(await create())
    const folder = repository("git@example.org:team/app.git")
    const worktree = join(throwawayFolder(), "tree")
    git(folder, "worktree", "add", worktree)
    const clone = repository("https://example.org/team/app.git")
    await world.remember("shared by all", { project: folder })
    for (const place of [worktree, clone])
      expect(await world.find("shared", { project: place })).toHaveLength(1)
    expect(await world.find("shared", { project: repository() })).toEqual([])
  })

  test("a repository that gets its remote later keeps its memory, and so does one that moves", async () => {
    const world = await openMemoryWorld(await create())
    const folder = repository()
    await world.remember("It is known that invoices carry a stamp", { project: folder })
    git(folder, "remote", "add", "origin", "git@example.org:team/late.git")
    await world.clock.advance(60_000)
    await world.remember("Ines is known for her maps", { project: folder })
    const moved = join(throwawayFolder(), "elsewhere")
    cpSync(folder, moved, { recursive: true })
    expect(await world.find("known", { project: moved })).toHaveLength(2)
  })

  test("a repository that turns out to be a known one sees both memories", async () => {
    const world = await openMemoryWorld(await create())
    await world.remember("known by remote", { project: repository("git@example.org:team/app.git") })
    const folder = repository()
    await world.remember("known by folder", { project: folder })
    git(folder, "remote", "add", "origin", "git@example.org:team/app.git")
    await world.clock.advance(60_000)
    expect(await world.find("known", { project: folder })).toHaveLength(2)
  })
})
