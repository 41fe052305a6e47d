import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import type { Client } from "../../src/api/client.ts"
import { messageOf } from "../../src/base/errors.ts"
import { createRepository } from "../../testkit/git-repository.ts"
import {
  configure,
  elsewhere,
  type HostileRepository,
  hostileRepository,
  partialClone,
  pipe,
  socket,
} from "../../testkit/hostile/hostile-repository.ts"
import { traps } from "../../testkit/hostile/repository-traps.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { type SharedDaemon, shareDaemon } from "../../testkit/program/shared-daemon.ts"

const daemon = shareDaemon()

/** Far more than an answer takes, also on a busy machine; a daemon that waits for something takes for ever. */
const slowestMs = 8000
const mostMegabytes = 700

/** Writes what Claude Code would write after it read a file of a folder. */
function writeTranscript({ tools }: SharedDaemon, folder: string, file: string): string {
  const id = crypto.randomUUID()
  const base = { timestamp: new Date().toISOString(), sessionId: id, cwd: folder, gitBranch: "main" }
  const use = { type: "tool_use", id: "t1", name: "Read", input: { file_path: join(folder, file) } }
  const lines = [
    { type: "user", message: { role: "user", content: "What does the app do?" }, uuid: "u1" },
    { type: "assistant", message: { role: "assistant", content: [use] }, uuid: "u2" },
    {
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: "const tide = 1" }],
      },
      uuid: "u3",
    },
    { type: "assistant", message: { role: "assistant", content: "It computes tides." }, uuid: "u4" },
  ]
  const home = join(tools, "claude/projects/-hostile")
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, `${id}.jsonl`),
    lines.map((line) => `${JSON.stringify({ ...base, ...line })}\n`).join(""),
  )
  return id
}

/** Waits for a journal entry that comes after this one. */
async function entryAfter(client: Client, after: number, isMeant: (kind: string) => boolean): Promise<void> {
  const found = new AbortController()
  try {
    for await (const { kind } of client.follow({ after }, found.signal)) if (isMeant(kind)) return
  } finally {
    found.abort()
  }
  throw new Error("the daemon ended")
}

async function newestEntry(client: Client): Promise<number> {
  return (await client.journal({ limit: 1, newest: "true" })).entries.at(-1)?.seq ?? 0
}

/** What makes verification look into a repository in every way it has. */
const claims = [
  "The function `computeMoon` in src/old.ts gives the phase of the moon.",
  "The app uses react 17 and the file src/gone.ts.",
  "`computeSun` is called from src/app.ts.",
]

/** Everything that has Reverie look at a project, through a running daemon. What was refused is given back. */
async function useProject(shared: SharedDaemon, folder: string, file = "src/app.ts"): Promise<string[]> {
  const { client } = shared
  const refused: string[] = []
  const note = (error: unknown) => refused.push(messageOf(error))
  await client
    .add({ content: `It begins in ${file}, ${folder}.`, project: folder, files: [file] })
    .catch(note)
  for (const content of claims) await client.add({ content, project: folder, scope: "project" }).catch(note)
  await client.search({ query: "moon", project: folder }).catch(note)
  await client
    .recallPreview({ session: { id: "hostile", tool: "codex", project: folder }, text: "Where is the moon?" })
    .catch(note)
  return refused
}

/** The same by what an agent wrote down, and by a cycle that holds memories against the repository. */
async function tendProject(shared: SharedDaemon, folder: string, file = "src/app.ts"): Promise<void> {
  const { client } = shared
  const before = await newestEntry(client)
  writeTranscript(shared, folder, file)
  await entryAfter(client, before, (kind) => kind === "session.read")
  const after = await newestEntry(client)
  await client.wake()
  await entryAfter(client, after, (kind) => kind === "cycle.ended")
}

/** Does something while the daemon is asked again and again; fails where it does not answer, or takes too much memory. */
async function whileAnswering<T>(shared: SharedDaemon, work: () => Promise<T>): Promise<T> {
  let isDone = false
  let slowest = 0
  let largest = 0
  const asking = (async () => {
    while (!isDone) {
      const begun = performance.now()
      await shared.client.daemon()
      slowest = Math.max(slowest, performance.now() - begun)
      largest = Math.max(largest, shared.megabytes())
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  try {
    return await work()
  } finally {
    isDone = true
    await asking
    expect(slowest).toBeLessThan(slowestMs)
    expect(largest).toBeLessThan(mostMegabytes)
  }
}

describe("A repository that names a program", () => {
  test.each(traps)("$name", async ({ set, spring, at = "" }) => {
    const repository = hostileRepository()
    set(repository)
    const args = typeof spring === "function" ? spring(repository) : spring
    if (args) {
      spawnSync("git", ["-C", repository.root, ...args], { timeout: 20_000, stdio: "ignore" })
      expect(repository.hasRun(), "the trap is set").toBe(true)
      repository.calm()
    }
    const shared = await daemon()
    const folder = join(repository.root, at)
    await whileAnswering(shared, async () => {
      await useProject(shared, folder)
      await useProject(shared, folder, "a.log")
      await tendProject(shared, folder)
    })
    expect(repository.hasRun()).toBe(false)
  })

  test("a folder with a program called git in it, and a PATH that begins where one stands", async () => {
    const repository = hostileRepository()
    symlinkSync(repository.spy, join(repository.root, "git"))
    chmodSync(repository.spy, 0o755)
    const env = { PATH: `.:${process.env.PATH}` }
    const { run } = createPlainInstallation({ cwd: repository.root, env })
    await run("memory", "add", "It begins in src/app.ts.", "--project", repository.root)
    await run("doctor")
    expect(repository.hasRun()).toBe(false)
  })

  test("a missing object behind a web address", async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked += 1
      response.writeHead(401, { "www-authenticate": "Basic" }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/x`
    const repository = hostileRepository()
    partialClone(repository, { "remote.origin.url": url, "credential.helper": repository.spy })
    const shared = await daemon()
    await useProject(shared, repository.root, "a.log")
    await tendProject(shared, repository.root)
    expect(asked).toBe(0)
    expect(repository.hasRun()).toBe(false)
  })

  test("a work tree that is said to be somewhere else", async () => {
    const victim = createRepository()
    victim.commit({ "package.json": "{}", ".reverie/config.toml": "[memory]\nenabled = false\n" })
    const repository = hostileRepository()
    configure(repository, { "core.worktree": victim.root })
    const { client } = await daemon()
    const { outcome } = await client.add({ content: "The tide is high at noon.", project: repository.root })
    expect(outcome).toBe("saved")
  })
})

describe("A repository that has git wait for ever", () => {
  const places: { name: string; set(one: HostileRepository, path: string): void }[] = [
    { name: "an include", set: (one, path) => configure(one, { "include.path": path }) },
    { name: "a list of addresses", set: (one, path) => configure(one, { "mailmap.file": path }) },
    { name: "an order of files", set: (one, path) => configure(one, { "diff.orderFile": path }) },
    { name: "a list of attributes", set: (one, path) => configure(one, { "core.attributesFile": path }) },
    { name: "a list of ignored files", set: (one, path) => configure(one, { "core.excludesFile": path }) },
    { name: ".git/info/exclude", set: (one) => pipe(join(one.root, ".git/info/exclude")) },
    { name: ".gitignore", set: (one) => pipe(join(one.root, ".gitignore")) },
    { name: ".gitattributes", set: (one) => pipe(join(one.root, ".gitattributes")) },
    { name: ".git/HEAD", set: (one) => pipe(join(one.root, ".git/HEAD")) },
    { name: ".git/commondir", set: (one) => pipe(join(one.root, ".git/commondir")) },
    { name: ".git", set: (one) => pipe(join(one.root, ".git")) },
    { name: ".git/index", set: (one) => pipe(join(one.root, ".git/index")) },
  ]
  test.each(places)(
    "$name that is a pipe",
    async ({ set }) => {
      const repository = hostileRepository()
      const path = join(throwawayFolder(), "pipe")
      pipe(path)
      set(repository, path)
      const shared = await daemon()
      // More than there are threads for reading files.
      const add = (index: number) =>
        shared.client.add({
          content: `Part ${index} is done.`,
          project: repository.root,
          files: [`src/${index}.ts`],
        })
      await whileAnswering(shared, () => Promise.all([1, 2, 3, 4, 5, 6].map(add)))
      const left = spawnSync("pgrep", ["-f", repository.root], { encoding: "utf8" }).stdout.trim()
      expect(left, "programs that are left").toBe("")
    },
    240_000,
  )
})

interface Planted {
  name: string
  plant(path: string): void
}

const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n"

/** What may stand in the place of a file. */
const stranger: Planted[] = [
  { name: "a link to /dev/zero", plant: (path) => symlinkSync("/dev/zero", path) },
  { name: "a link to /dev/tty", plant: (path) => symlinkSync("/dev/tty", path) },
  { name: "a pipe", plant: pipe },
  { name: "a socket", plant: socket },
  { name: "a folder", plant: (path) => mkdirSync(path) },
  { name: "a link to a private key elsewhere", plant: (path) => symlinkSync(elsewhere(key), path) },
  { name: "a link to itself", plant: (path) => symlinkSync(path, path) },
  {
    name: "a terabyte of nothing",
    plant(path) {
      writeFileSync(path, "")
      truncateSync(path, 2 ** 40)
    },
  },
]

const settings = "[memory]\nlongest_text = 1000\n"

describe("A project whose configuration is", () => {
  const texts: Planted[] = [
    ["18 MB of settings", `${settings}${"# more\n".repeat(2_700_000)}`],
    ["one name of thirty thousand parts", `a${".a".repeat(30_000)} = 1\n`],
    ["a list in a list in a list", `a = ${"[".repeat(30_000)}${"]".repeat(30_000)}\n`],
    ["a table in a table in a table", `a = ${"{ a = ".repeat(8000)}1${" }".repeat(8000)}\n`],
    ["thousands of headings", Array.from({ length: 8000 }, (_, at) => `[t${at}]`).join("\n")],
    ["headings that grow", Array.from({ length: 250 }, (_, at) => `[${"a.".repeat(at)}a]`).join("\n")],
  ].map(([name = "", text = ""]) => ({ name, plant: (path) => writeFileSync(path, text) }))

  test.each([...stranger, ...texts])("$name", async ({ plant }) => {
    const folder = throwawayFolder()
    mkdirSync(join(folder, ".reverie"))
    plant(join(folder, ".reverie/config.toml"))
    const shared = await daemon()
    const refused = await whileAnswering(shared, () => useProject(shared, folder))
    // What a project would forbid is not known, so nothing is kept; and the reason is told.
    if (refused.length > 0) expect(refused[0]).toMatch(/config\.toml(, line \d+)?: this /)
    const { memories } = await shared.client.list({ project: folder })
    expect(memories).toEqual([])
    // A transcript from there does not keep others from being read.
    const before = await newestEntry(shared.client)
    writeTranscript(shared, folder, "src/app.ts")
    writeTranscript(shared, throwawayFolder(), "src/app.ts")
    await whileAnswering(shared, () => entryAfter(shared.client, before, (kind) => kind === "session.read"))
  })

  test("in a folder that is a link to another project's", async () => {
    const other = throwawayFolder()
    mkdirSync(join(other, ".reverie"))
    writeFileSync(join(other, ".reverie/config.toml"), settings)
    const folder = throwawayFolder()
    symlinkSync(join(other, ".reverie"), join(folder, ".reverie"))
    const { client } = await daemon()
    await expect(client.add({ content: "The tide is high.", project: folder })).rejects.toThrow(
      /leads out of/,
    )
  })

  test("a link to /dev/zero where doctor and validate are asked", async () => {
    const folder = throwawayFolder()
    mkdirSync(join(folder, ".reverie"))
    symlinkSync("/dev/zero", join(folder, ".reverie/config.toml"))
    const { run } = createPlainInstallation({ cwd: folder })
    expect((await run("doctor")).stdout).toMatch(/config\.toml: this is a link that leads out/)
    expect((await run("config", "validate", "--project", folder)).stderr).toMatch(
      /this is a link that leads out/,
    )
  })
})

describe("A project whose .env is", () => {
  test.each(stranger)("$name", async ({ plant }) => {
    const folder = throwawayFolder()
    for (const name of [".env", ".env.a", ".env.b", ".env.c", ".env.d"]) plant(join(folder, name))
    const shared = await daemon()
    expect(await whileAnswering(shared, () => useProject(shared, folder))).toEqual([])
    await whileAnswering(shared, () => tendProject(shared, folder))
  })
})

describe("A project whose .secretsignore is", () => {
  const texts: Planted[] = [
    ["a pattern that backtracks through folders", `${"**/a/".repeat(40)}b\n`],
    ["a pattern that backtracks through a name", `${"*a".repeat(200)}b\n`],
    ["ten thousand such patterns", `${"**/a/*a*a*b\n".repeat(10_000)}`],
  ].map(([name = "", text = ""]) => ({ name, plant: (path) => writeFileSync(path, text) }))

  test.each([...stranger, ...texts])("$name", async ({ plant }) => {
    const folder = throwawayFolder()
    plant(join(folder, ".secretsignore"))
    const shared = await daemon()
    const long = `${"a/".repeat(150)}${"a".repeat(200)}`
    await whileAnswering(shared, async () => {
      await useProject(shared, folder)
      await useProject(shared, folder, long)
    })
  })

  test.each(texts)("written as .gitignore: $name", async ({ plant }) => {
    const repository = hostileRepository()
    plant(join(repository.root, ".gitignore"))
    const shared = await daemon()
    await whileAnswering(shared, () =>
      useProject(shared, repository.root, `${"a/".repeat(150)}${"a".repeat(200)}`),
    )
  })
})

describe("A repository whose manifest is", () => {
  test.each(stranger)("$name", async ({ plant }) => {
    const repository = hostileRepository()
    rmSync(join(repository.root, "package.json"))
    plant(join(repository.root, "package.json"))
    rmSync(join(repository.root, "src/app.ts"))
    plant(join(repository.root, "src/app.ts"))
    const shared = await daemon()
    await whileAnswering(shared, async () => {
      await useProject(shared, repository.root)
      await tendProject(shared, repository.root)
    })
  })
})
