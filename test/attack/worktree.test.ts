import { execFileSync } from "node:child_process"
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { pushBranch } from "../../src/coding/work/publish/push.ts"
import { findRemote } from "../../src/coding/work/publish/remote.ts"
import { readableFolders } from "../../src/coding/work/sandbox/readable.ts"
import { createWorktree } from "../../src/coding/work/worktree/worktree.ts"
import { loadProjectConfig } from "../../src/config/load.ts"
import { configSchema } from "../../src/config/schema.ts"
import { plantedPrograms } from "../../testkit/sandbox/planted-programs.ts"
import { isSandboxThere } from "../../testkit/sandbox/sandbox-world.ts"
import { createWorkWorld, type WorkWorld } from "../../testkit/sandbox/work-world.ts"

const timeout = 120_000

describe("A repository that names a program to run when a branch is made, changed, compared or pushed", () => {
  test.each(plantedPrograms)("%s", { timeout }, async (_, plant) => {
    const world = await createWorkWorld()
    plant(world)
    const before = readFileSync(join(world.repository.root, ".git/index"))
    const { worktree, pushed, difference } = await world.story()
    await world.remove(worktree)
    expect(world.didRun()).toBe(false)
    expect(pushed).toMatchObject({ outcome: "pushed", already: false })
    expect(difference.outcome === "found" && difference.size.files.map(({ path }) => path)).toEqual([
      "tide.mjs",
    ])
    expect(readFileSync(join(world.repository.root, ".git/index")).equals(before)).toBe(true)
  })
})

describe("A remote whose address", () => {
  const addresses: [string, (world: WorkWorld) => string][] = [
    ["names a program", ({ evil }) => `ext::'${evil}' %S`],
    ["names a helper", ({ remote }) => `evil::${remote}`],
    ["begins like an option", () => "--upload-pack=touch"],
    ["has a host that is an option", ({ evil }) => `ssh://-oProxyCommand=${evil}/x`],
    ["has a host that is an option, in short", ({ evil }) => `-oProxyCommand=${evil}:x`],
    ["is not encrypted", () => "http://example.invalid/x.git"],
    ["speaks git's own protocol", () => "git://example.invalid/x.git"],
    ["has a password in it", () => "https://me:hunter2@example.invalid/x.git"],
    ["is a path from here", () => "../remote.git"],
  ]
  test.each(addresses)("%s", { timeout }, async (_, addressOf) => {
    const world = await createWorkWorld()
    world.repository.git("config", "remote.origin.url", addressOf(world))
    expect((await world.story()).pushed.outcome).toBe("refused")
    expect(world.didRun()).toBe(false)
    expect(world.repository.git("--git-dir", world.remote, "for-each-ref")).toBe("")
  })

  test("is turned into another by the project's settings", { timeout }, async () => {
    const world = await createWorkWorld()
    const thief = join(world.base, "thief.git")
    world.repository.git("init", "--bare", thief)
    world.repository.git("config", `url.${thief}.insteadOf`, world.remote)
    world.repository.git("config", `url.${thief}.pushInsteadOf`, world.remote)
    expect((await world.story()).pushed.outcome).toBe("pushed")
    expect(world.repository.git("--git-dir", thief, "for-each-ref")).toBe("")
  })
  test("is two", async () => {
    const world = await createWorkWorld()
    world.repository.git("config", "--add", "remote.origin.pushurl", world.remote)
    world.repository.git("config", "--add", "remote.origin.pushurl", "/elsewhere")
    expect(await findRemote(world.repository.root, "origin")).toHaveProperty("problem")
  })
})

describe("A push", () => {
  test.each([
    "main",
    "master",
    "ambient/../main",
    "ambient/x:refs/heads/main",
    "+ambient/x",
    "ambient/x y",
    "refs/heads/ambient/x",
  ])("to %s", { timeout }, async (branch) => {
    const world = await createWorkWorld()
    const { worktree } = await world.story()
    const before = world.repository.git("--git-dir", world.remote, "for-each-ref")
    expect((await world.push({ ...worktree, branch })).outcome).toBe("refused")
    expect(world.repository.git("--git-dir", world.remote, "for-each-ref")).toBe(before)
  })

  test("over a commit of somebody else", { timeout }, async () => {
    const world = await createWorkWorld()
    const { worktree } = await world.story()
    world.repository.git("push", "--force", "origin", `HEAD:refs/heads/${worktree.branch}`)
    const theirs = world.repository.git("rev-parse", "HEAD")
    expect(await world.push(worktree)).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("another commit"),
    })
    expect(world.repository.git("--git-dir", world.remote, "rev-parse", worktree.branch)).toBe(theirs)
  })

  test("of a name instead of a commit", { timeout }, async () => {
    const world = await createWorkWorld()
    const { worktree } = await world.story()
    for (const commit of ["HEAD", "main", "--all", "", worktree.tip.slice(0, 12)])
      expect((await pushBranch(world.needs, worktree, { remote: "origin", commit })).outcome).toBe("refused")
  })

  test("that is sent twice at once", { timeout }, async () => {
    const world = await createWorkWorld()
    const { worktree } = await world.story()
    expect(await world.push(worktree)).toMatchObject({ outcome: "pushed", already: true })
  })
})

describe.skipIf(!isSandboxThere && process.env.CI !== "true")("A command in the sandbox that plants", () => {
  const plants: [string, (world: WorkWorld) => string][] = [
    [
      "another .git in place of the worktree's",
      ({ evil }) =>
        `rm -rf .git; mv .git x; ln -sf /tmp .git; mkdir .git; printf '[core]\\nfsmonitor = ${evil}\\n' > .git/config; echo 'gitdir: /tmp/x' > .git`,
    ],
    [
      "hooks in the repository",
      ({ repository, evil }) =>
        `mkdir -p '${repository.root}/.git/hooks'; for h in post-checkout reference-transaction pre-push; do ln -s '${evil}' "${repository.root}/.git/hooks/$h"; done`,
    ],
    [
      "settings in the repository",
      ({ repository, evil }) =>
        `git config core.fsmonitor '${evil}'; git config diff.external '${evil}'; echo x >> '${repository.root}/.git/config'`,
    ],
    [
      "settings in the worktree's own part",
      ({ evil }) =>
        `git config --worktree core.fsmonitor '${evil}'; echo x > "$(git rev-parse --git-dir)/config.worktree"; echo x > "$(git rev-parse --git-dir)/commondir"`,
    ],
    ["an index", () => 'echo x > "$(git rev-parse --git-dir)/index"'],
    [
      "attributes that name filters",
      ({ evil }) => `echo '* filter=x diff=x' > .gitattributes; git config --global filter.x.clean '${evil}'`,
    ],
    [
      "a repository inside",
      ({ evil }) => `git init -q inner; git -C inner config core.fsmonitor '${evil}'; touch inner/f`,
    ],
    [
      "modules",
      ({ evil }) => `printf '[submodule "x"]\\npath=x\\nurl=x\\nupdate=!${evil}\\n' > .gitmodules; mkdir x`,
    ],
  ]
  test.each(plants)("%s", { timeout }, async (_, command) => {
    const world = await createWorkWorld()
    const config = readFileSync(join(world.repository.root, ".git/config"), "utf8")
    const worktree = await world.create()
    const pointer = readFileSync(join(worktree.root, ".git"), "utf8")
    await world.run(worktree, `${command(world)}; sed -i 's/1/2/' tide.mjs`)
    const diff = await world.diff(worktree)
    const committed = await world.commit(worktree)
    if (committed.outcome !== "committed") throw new Error(JSON.stringify(committed))
    const pushed = await world.push(committed.worktree)
    expect({ diff: diff.outcome, pushed: pushed.outcome, ran: world.didRun() }).toEqual({
      diff: "found",
      pushed: "pushed",
      ran: false,
    })
    expect(readFileSync(join(worktree.root, ".git"), "utf8")).toBe(pointer)
    expect(readFileSync(join(world.repository.root, ".git/config"), "utf8")).toBe(config)
    expect(existsSync(join(world.repository.root, ".git/hooks/pre-push"))).toBe(false)
    const files = world.repository.git("ls-tree", "-r", "--name-only", committed.commit).split("\n")
    expect(files.filter((path) => /(?:^|\/)\.git(?:\/|$)|^inner/.test(path))).toEqual([])
    await world.remove(committed.worktree)
  })

  const left: [string, string, RegExp][] = [
    ["a link to a file of the user's", "ln -s /etc/passwd stolen", /^120000/],
    ["a file of secrets", "echo KEY=hunter2hunter2 > .env; echo x > id_rsa", /^$/],
    ["a pipe", "mkfifo stolen", /^$/],
    ["what git ignores", "mkdir build; echo x > build/stolen; echo x > stolen.log", /^$/],
  ]
  test.each(left)("%s to have it committed", { timeout }, async (_, command, expected) => {
    const world = await createWorkWorld()
    const worktree = await world.create()
    await world.run(worktree, `${command}; sed -i 's/1/2/' tide.mjs`)
    const committed = await world.commit(worktree)
    if (committed.outcome !== "committed") throw new Error(JSON.stringify(committed))
    const listed = world.repository.git(
      "ls-tree",
      "-r",
      committed.commit,
      "stolen",
      ".env",
      "id_rsa",
      "build",
      "stolen.log",
    )
    expect(listed).toMatch(expected)
    await world.remove(committed.worktree)
  })

  const stubborn: [string, string][] = [
    [
      "folders deeper than a path is long",
      "perl -e 'for (1..900) { mkdir qq(d) x 9; chdir qq(d) x 9 or last }'",
    ],
    ["folders that nobody may enter", "mkdir -p a/b; touch a/b/c; chmod 0 a/b a"],
    ["names that are no text", `perl -e 'open my $h, ">", "\\xff\\xfe"; open $h, ">", "a\\nb"'`],
  ]
  test.each(stubborn)("%s so that it cannot be removed", { timeout }, async (_, command) => {
    const world = await createWorkWorld()
    const worktree = await world.create()
    await world.run(worktree, command)
    await world.remove(worktree)
    expect(existsSync(worktree.root)).toBe(false)
    expect(world.repository.git("branch", "--list", "ambient/*")).toBe("")
    expect(world.repository.git("worktree", "list").split("\n")).toHaveLength(1)
  })

  test("a password of the repository's settings into its output", { timeout }, async () => {
    const world = await createWorkWorld()
    world.repository.git("config", "http.extraHeader", "Authorization: hunter2")
    const worktree = await world.create()
    const { output } = await world.run(
      worktree,
      `cat '${world.repository.root}/.git/config'; git config --list; ls '${world.repository.root}'; git log --oneline`,
    )
    expect(output).not.toContain("hunter2")
    expect(output).not.toContain("tide.mjs")
    expect(output).toContain("change")
  })

  test("something into the packages of the user's checkout", { timeout }, async () => {
    const world = await createWorkWorld()
    world.repository.write({ "node_modules/dep/index.js": "module.exports = 7\n" })
    const worktree = await world.create()
    const { output } = await world.run(
      worktree,
      "node -p 'require(\"dep\")'; echo stolen > node_modules/dep/index.js; touch node_modules/x",
    )
    expect(output).toContain("7")
    expect(readFileSync(join(world.repository.root, "node_modules/dep/index.js"), "utf8")).toBe(
      "module.exports = 7\n",
    )
    expect(existsSync(join(world.repository.root, "node_modules/x"))).toBe(false)
  })
})

describe("A commit whose tree", () => {
  /** Writes a tree that git itself would not write. */
  function tree({ repository }: WorkWorld, entries: [string, string, string][]): string {
    const bytes = Buffer.concat(
      entries.map(([mode, name, id]) =>
        Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]),
      ),
    )
    const hash = (type: string, input: Buffer) =>
      execFileSync(
        "git",
        ["-C", repository.root, "hash-object", "-w", "-t", type, "--literally", "--stdin"],
        { input, encoding: "utf8" },
      ).trim()
    return hash("tree", bytes)
  }
  const blob = ({ repository }: WorkWorld, text: string) =>
    execFileSync("git", ["-C", repository.root, "hash-object", "-w", "--stdin"], {
      input: text,
      encoding: "utf8",
    }).trim()
  const shapes: [string, (world: WorkWorld) => string][] = [
    [
      "leads out by dots",
      (world) => tree(world, [["40000", "..", tree(world, [["100644", "escaped", blob(world, "x")]])]]),
    ],
    [
      "writes git's own files",
      (world) => tree(world, [["40000", ".git", tree(world, [["100644", "config", blob(world, "x")]])]]),
    ],
    [
      "writes git's own files in capitals",
      (world) => tree(world, [["40000", ".GIT", tree(world, [["100644", "config", blob(world, "x")]])]]),
    ],
    [
      "writes git's own files by a short name",
      (world) => tree(world, [["40000", "git~1", tree(world, [["100644", "config", blob(world, "x")]])]]),
    ],
    ["has slashes in a name", (world) => tree(world, [["100644", "../escaped", blob(world, "x")]])],
    [
      "has a link and a folder of one name",
      (world) =>
        tree(world, [
          ["120000", "a", blob(world, world.base)],
          ["40000", "a", tree(world, [["100644", "escaped", blob(world, "x")]])],
        ]),
    ],
  ]
  test.each(shapes)("%s", { timeout }, async (_, shape) => {
    const world = await createWorkWorld()
    const commit = world.repository.git("commit-tree", shape(world), "-m", "x")
    const made = await createWorktree(world.needs, {
      ...{ project: world.repository.root, subject: "x", base: commit, cycle: "c" },
    })
    expect(made.outcome).toBe("refused")
    expect(
      [join(world.base, "escaped"), join(world.paths.stateDir, "work")].filter((path) => existsSync(path)),
    ).toEqual([])
    expect(world.repository.git("branch", "--list", "ambient/*")).toBe("")
  })
})

/** A path, once what stands there was made. */
function madeFirst(make: () => unknown, path: string): string {
  make()
  return path
}

describe("A model that uses the file tools on", () => {
  const outside: [string, (world: WorkWorld, root: string) => string][] = [
    ["a path with dots", () => "../../../../shop project/tide.mjs"],
    ["a path with dots in the middle", () => "a/../../x"],
    ["an absolute path", ({ repository }) => join(repository.root, "tide.mjs")],
    ["a home", () => "~/.bashrc"],
    ["git's own file", () => ".git"],
    ["git's own folder in capitals", () => ".GIT/config"],
    ["git's own folder with a character that is not seen", () => ".g\u200cit/config"],
    ["git's own folder in wide letters", () => ".ｇｉｔ/config"],
    ["git's own folder by its short name", () => "git~1/config"],
    ["git's own folder with a dot", () => ".git./config"],
    ["git's own folder by a stream", () => ".git::$INDEX_ALLOCATION/config"],
    ["a path for Windows", () => "..\\..\\x"],
    ["a drive", () => "c:/x"],
    ["a path with a zero", () => "tide.mjs\0.txt"],
    ["an environment file", () => ".env"],
    ["an environment file in capitals", () => ".ENV.production"],
    ["a key", () => "config/id_rsa"],
    ["a certificate's key", () => "server.PEM"],
    [
      "a link to a file outside",
      (world, root) =>
        madeFirst(() => symlinkSync(join(world.repository.root, "tide.mjs"), join(root, "l")), "l"),
    ],
    [
      "a file in a folder that is a link",
      (world, root) => madeFirst(() => symlinkSync(world.repository.root, join(root, "d")), "d/tide.mjs"),
    ],
    [
      "a link to nothing yet",
      (world, root) => madeFirst(() => symlinkSync(join(world.base, "new"), join(root, "n")), "n"),
    ],
    ["a device", (_, root) => madeFirst(() => symlinkSync("/dev/zero", join(root, "z")), "z")],
    ["a pipe", (_, root) => madeFirst(() => execFileSync("mkfifo", [join(root, "p")]), "p")],
    [
      "a second name of a file outside",
      (world, root) =>
        madeFirst(() => linkSync(join(world.repository.root, "tide.mjs"), join(root, "h")), "h"),
    ],
    [
      "a huge file",
      (_, root) => {
        writeFileSync(join(root, "big"), "")
        truncateSync(join(root, "big"), 5_000_000_000)
        return "big"
      },
    ],
    ["a folder", (_, root) => madeFirst(() => mkdirSync(join(root, "f")), "f")],
  ]
  test.each(outside)("%s", { timeout }, async (_, pathOf) => {
    const world = await createWorkWorld()
    const worktree = await world.create()
    const path = pathOf(world, worktree.root)
    const files = world.files(worktree)
    expect((await files.readFile(path)).outcome).toBe("refused")
    if (path !== "big") expect((await files.writeFile(path, "stolen")).outcome).toBe("refused")
    expect((await files.editFile(path, "tides", "stolen")).outcome).toBe("refused")
    expect(readFileSync(join(world.repository.root, "tide.mjs"), "utf8")).toBe("export const tides = 1\n")
    expect(existsSync(join(world.base, "new"))).toBe(false)
    expect(lstatSync(join(worktree.root, ".git")).isFile()).toBe(true)
  })

  test("a folder that becomes a link while it writes", { timeout }, async () => {
    const world = await createWorkWorld()
    const worktree = await world.create()
    const target = join(world.base, "target")
    mkdirSync(target)
    const folder = join(worktree.root, "d")
    let isOver = false
    const swapping = (async () => {
      while (!isOver) {
        for (const put of [() => symlinkSync(target, folder), () => mkdirSync(folder)]) {
          rmSync(folder, { recursive: true, force: true })
          try {
            put()
          } catch {
            // The tool itself made the folder meanwhile.
          }
          await new Promise(setImmediate)
        }
      }
    })()
    const files = world.files(worktree)
    // One that looks first and then writes is led astray in every tenth round.
    for (let round = 0; round < 100; round += 1) await files.writeFile(`d/f${round}`, "x").catch(() => {})
    isOver = true
    await swapping
    expect(execFileSync("ls", [target], { encoding: "utf8" })).toBe("")
    rmSync(target, { recursive: true })
  })
})

describe("A project that sets for itself", () => {
  test.each([
    ["how its tests are run", 'test_commands = ["/ = touch /tmp/x"]'],
    ["what else may be read", 'readable = ["/home"]'],
    ["that larger changes are offered", "max_files = 1000"],
    ["that longer changes are offered", "max_lines = 100000"],
    ["more time", "timeout_minutes = 240"],
    ["more memory", "memory_mb = 1000000"],
    ["who a commit is by", 'author = "Boss <boss@example.com>"'],
  ])("%s", async (_, line) => {
    const world = await createWorkWorld()
    world.repository.write({ ".reverie/config.toml": `[work]\n${line}\n` })
    await expect(loadProjectConfig(configSchema.parse({}), world.repository.root)).rejects.toThrow(/work\./)
  })
})

describe("A configuration that would show the sandbox", () => {
  test.each(["", ".ssh", ".gnupg", ".config", ".aws", ".local"])("the user's ~/%s", async (name) => {
    const world = await createWorkWorld()
    const home = process.env.HOME ?? "/root"
    const { folders } = readableFolders({ paths: world.paths, extra: [join(home, name)] })
    expect(folders).not.toContain(join(home, name))
  })
  test.each(["/", "/etc", "/proc", "/sys", "/run", "/dev", "/tmp", "/root", "/home", "/var"])(
    "%s",
    async (folder) => {
      const world = await createWorkWorld()
      expect(readableFolders({ paths: world.paths, extra: [folder] }).folders).not.toContain(folder)
    },
  )
  test("Reverie's own folder, by a link", async () => {
    const world = await createWorkWorld()
    mkdirSync(world.paths.stateDir, { recursive: true })
    symlinkSync(world.paths.stateDir, join(world.base, "harmless"))
    const extra = [join(world.base, "harmless"), world.base]
    expect(readableFolders({ paths: world.paths, extra }).problems).toHaveLength(2)
  })
})
