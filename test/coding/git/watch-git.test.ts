import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { readGitActivity } from "../../../src/coding/git/activity.ts"
import { startWatchingGit } from "../../../src/coding/git/watch-git.ts"
import { readJournal } from "../../../src/storage/journal.ts"
import { createRepository, git } from "../../../testkit/git-repository.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"
import { storeSession } from "../../../testkit/sessions/session-rows.ts"
import { describeDatabases, type TestDatabase } from "../../../testkit/setup/databases.ts"
import { openMemoryWorld } from "../../../testkit/worlds/memory-world.ts"

const minuteMs = 60_000

/** A memory of a repository that has a remote, and somebody who watches it. */
async function openWatched(store: TestDatabase, repository = createRepository()) {
  const world = await openMemoryWorld(store)
  const origin = join(throwawayFolder(), "origin.git")
  mkdirSync(origin)
  git(origin, "init", "--bare")
  repository.commit({ "a.ts": "a" })
  repository.git("remote", "add", "origin", origin)
  repository.git("push", "-u", "origin", "main")
  await world.remember("Known", { project: repository.root })
  let stop: (() => Promise<void>) | undefined
  onTestFinished(async () => stop?.())
  const settled = async () => {
    await stop?.()
    stop = undefined
  }
  return {
    ...world,
    origin,
    repository,
    settled,
    /** Looks once, as a daemon does at its start, and ends. */
    async look() {
      await world.clock.advance(minuteMs)
      stop = startWatchingGit({ ...world, install: "here", screen: { redactSync: (text) => text } })
      await settled()
    },
    start() {
      stop = startWatchingGit({ ...world, install: "here", screen: { redactSync: (text) => text } })
    },
    async pushes() {
      const entries = await readJournal(world.db, { kind: "repository.pushed" })
      return entries.map(({ subject, data }) => ({ subject, ...(data as { branch: string; head: string }) }))
    },
    async project() {
      const [entry] = await readJournal(world.db, { kind: "project.seen" })
      return entry?.subject ?? ""
    },
  }
}

describeDatabases("Pushes", (create) => {
  test("a push is told of once, also after a restart; what was there before is not", async () => {
    const watched = await openWatched(await create())
    await watched.look()
    expect(await watched.pushes()).toEqual([])
    watched.repository.commit({ "a.ts": "b" })
    watched.repository.git("push")
    const head = watched.repository.git("rev-parse", "HEAD")
    await watched.look()
    await watched.look()
    expect(await watched.pushes()).toMatchObject([
      { subject: await watched.project(), branch: "origin/main", head },
    ])
  })

  test("every push and every branch counts, fetching and committing do not", async () => {
    const watched = await openWatched(await create())
    await watched.look()
    watched.repository.git("checkout", "-b", "feature/deep/name")
    watched.repository.commit({ "b.ts": "b" })
    watched.repository.git("push", "-u", "origin", "feature/deep/name")
    watched.repository.commit({ "b.ts": "c" })
    watched.repository.git("push")
    await watched.look()
    const branches = (await watched.pushes()).map(({ branch }) => branch)
    expect(branches).toEqual(["origin/feature/deep/name", "origin/feature/deep/name"])
    const other = join(throwawayFolder(), "other")
    git(watched.origin, "clone", watched.origin, other)
    writeFileSync(join(other, "c.ts"), "c")
    git(other, "add", "-A")
    git(other, "commit", "-m", "theirs")
    git(other, "push", "origin", "HEAD:main")
    watched.repository.git("fetch")
    watched.repository.commit({ "d.ts": "d" })
    await watched.look()
    expect(await watched.pushes()).toHaveLength(2)
  })

  test("a push from a worktree is told of, once for all worktrees", async () => {
    const watched = await openWatched(await create())
    const tree = join(throwawayFolder(), "tree")
    watched.repository.git("worktree", "add", "-b", "side", tree)
    await watched.remember("Known too", { project: tree })
    const [project] = [await watched.project()]
    const session = { id: "codex:1", install: "here", said: ["user: hello"], at: watched.clock.now() }
    await storeSession(watched.db, { ...session, folder: tree, project })
    await watched.look()
    git(tree, "commit", "--allow-empty", "-m", "side")
    git(tree, "push", "origin", "side")
    await watched.look()
    expect(await watched.pushes()).toMatchObject([{ branch: "origin/side" }])
  })

  test("a log that git rewrote tells nothing twice", async () => {
    const watched = await openWatched(await create())
    await watched.look()
    watched.repository.commit({ "a.ts": "b" })
    watched.repository.git("push")
    await watched.look()
    const log = join(watched.repository.root, ".git/logs/refs/remotes/origin/main")
    const lines = readFileSync(log, "utf8").trimEnd().split("\n")
    writeFileSync(log, `${lines.at(-1)}\n`)
    await watched.look()
    expect(await watched.pushes()).toHaveLength(1)
    watched.repository.git("pack-refs", "--all")
    watched.repository.commit({ "a.ts": "c" })
    watched.repository.git("push")
    await watched.look()
    expect(await watched.pushes()).toHaveLength(2)
  })

  test("strange logs, folders that are gone, and projects nobody touched for long do no harm", async () => {
    const watched = await openWatched(await create())
    const gone = createRepository()
    gone.commit({ "a.ts": "a" })
    await watched.remember("Elsewhere", { project: gone.root })
    await watched.remember("Outside git", { project: throwawayFolder() })
    rmSync(gone.root, { recursive: true })
    await watched.look()
    const log = join(watched.repository.root, ".git/logs/refs/remotes/origin/main")
    appendFileSync(log, "\u0000\u0001 not a line\nupdate by push\n")
    await watched.look()
    expect(await watched.pushes()).toEqual([])
    await watched.clock.advance(31 * 86_400_000)
    watched.repository.commit({ "a.ts": "b" })
    watched.repository.git("push")
    await watched.look()
    expect(await watched.pushes()).toEqual([])
  })

  test("the daemon looks every minute and stops when it is told to", async () => {
    const watched = await openWatched(await create())
    watched.start()
    await expect.poll(() => watched.clock.waiting).toBe(1)
    watched.repository.commit({ "a.ts": "b" })
    watched.repository.git("push")
    await watched.clock.advance(minuteMs)
    await watched.settled()
    expect(watched.clock.waiting).toBe(0)
    expect(await watched.pushes()).toHaveLength(1)
  })

  test("the news of a repository are its branches and commits since a moment, without secrets", async () => {
    const watched = await openWatched(await create())
    const secret = ["ghp", "_", "k7Qz0vN3xT9bLr2Wm5Yc8Hd1Jf4Gs6PaUeXo"].join("")
    watched.repository.git("commit", "--allow-empty", "-m", `use ${secret} ${"x".repeat(300)}`)
    const needs = { ...watched, install: "here", redact: watched.screen.redactSync }
    const news = await readGitActivity(needs, await watched.project(), 0)
    expect(news?.branches.map(({ name }) => name).sort()).toEqual(["main", "origin/main"])
    expect(news?.commits).toHaveLength(2)
    expect(news?.commits[0]?.subject.length).toBeLessThanOrEqual(120)
    expect(JSON.stringify(news)).not.toContain(secret)
    expect((await readGitActivity(needs, await watched.project(), Date.now() + minuteMs))?.commits).toEqual(
      [],
    )
    rmSync(watched.repository.root, { recursive: true })
    await watched.clock.advance(minuteMs)
    expect(await readGitActivity(needs, await watched.project(), 0)).toBeUndefined()
  })
})
