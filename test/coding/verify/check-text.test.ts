import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createTextChecker } from "../../../src/coding/verify/check-text.ts"
import { openRepository, readCheckedOut } from "../../../src/coding/verify/repository/open-repository.ts"
import { openOffLimits } from "../../../src/privacy/files/off-limits.ts"
import { createRepository, git, type TestRepository } from "../../../testkit/git-repository.ts"
import { createManualClock } from "../../../testkit/manual-clock.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"

/** What the repository says of a text; undefined where nothing can be said of it. */
async function judge(root: string, text: string) {
  const standing = await readCheckedOut(root)
  if (standing === undefined) return undefined
  const offLimits = openOffLimits({ clock: createManualClock() })
  const repository = await openRepository({ root, ...standing }, offLimits)
  return repository && createTextChecker(repository, root).check(text)
}

const outcome = async (root: string, text: string) => (await judge(root, text))?.outcome
const notes = async (root: string, text: string) => {
  const found = await judge(root, text)
  return found?.outcome === "stale" ? found.notes : undefined
}

function packageJson(fields: object): string {
  return JSON.stringify({ name: "app", ...fields }, null, 2)
}

describe("paths", () => {
  test("one that is there is confirmed, one that went is stale, one that never was is unknown", async () => {
    const { root, commit, git } = createRepository()
    commit({ "src/a.ts": "a", "src/b.ts": "b" })
    git("rm", "src/b.ts")
    commit()
    expect(await outcome(root, "Parsing is done in src/a.ts")).toBe("confirmed")
    expect(await notes(root, "Parsing is done in src/b.ts")).toEqual([
      "The file src/b.ts is no longer there.",
    ])
    expect(await outcome(root, "Parsing is done in src/c.ts")).toBe("unknown")
  })

  test("a renamed file and a renamed folder are told by their new names, however often they moved", async () => {
    const { root, commit, git } = createRepository()
    commit({
      "src/one.ts": "export const someLongContent = 1\n",
      "lib/x.ts": "x of lib\n",
      "lib/y.ts": "y of lib\n",
    })
    git("mv", "src/one.ts", "src/two.ts")
    git("mv", "lib", "shared")
    commit()
    git("mv", "src/two.ts", "src/three.ts")
    commit()
    expect(await notes(root, "It is in `src/one.ts`.")).toEqual(["The file src/one.ts is src/three.ts now."])
    expect(await notes(root, "Helpers are in lib/")).toEqual(["The folder lib is shared/ now."])
  })

  test("what another branch has, what is deleted but not committed, and what is in a submodule is not stale", async () => {
    const { root, commit, git } = createRepository()
    commit({ "src/a.ts": "a", "src/b.ts": "b" })
    git("checkout", "-b", "work")
    git("rm", "src/a.ts")
    commit()
    expect(await outcome(root, "See src/a.ts for it")).toBe("confirmed")
    rmSync(join(root, "src/b.ts"))
    git("checkout", "main")
    rmSync(join(root, "src/b.ts"), { force: true })
    expect(await outcome(root, "See src/b.ts for it")).toBe("unknown")
    const other = createRepository()
    other.commit({ "inside.ts": "inside" })
    git("submodule", "add", other.root, "vendor/other")
    commit()
    expect(await outcome(root, "See vendor/other/gone.ts for it")).toBe("unknown")
  })

  test("a file that is new and not committed counts, one that git ignores does not", async () => {
    const { root, commit, write } = createRepository()
    commit({ ".gitignore": "dist\n", "src/a.ts": "a" })
    write({ "src/new.ts": "new", "dist/out.js": "out" })
    expect(await outcome(root, "See src/new.ts for it")).toBe("confirmed")
    expect(await outcome(root, "See dist/out.js for it")).toBe("unknown")
  })

  test("names with spaces, line ends and dashes do no harm, and what leads out of the repository is not followed", async () => {
    const { root, commit } = createRepository()
    const outside = throwawayFolder()
    writeFileSync(join(outside, "package.json"), packageJson({ dependencies: { zod: "^4.0.0" } }))
    symlinkSync(outside, join(root, "linked"))
    symlinkSync(join(outside, "package.json"), join(root, "package.json"))
    commit({ "--help": "x", "a b/c d.ts": "x", "line\nend.ts": "x", "src/a.ts": "a" })
    for (const text of [
      "See `--help` there",
      "See `a b/c d.ts` there",
      "See ../secret.ts there",
      "See /etc/passwd there",
    ])
      expect(await outcome(root, text), text).toBe("unknown")
    expect(await outcome(root, "We use zod")).toBe("unknown")
    expect(await outcome(root, "See linked/package.json there")).toBe("unknown")
    expect(await outcome(root, `See ${root}/src/a.ts there`)).toBe("confirmed")
  })

  test("a credential file is nobody's business, even if git once knew it", async () => {
    const { root, commit, git } = createRepository()
    commit({ "config/.env": "A=1", "certs/site.pem": "x" })
    git("rm", "config/.env", "certs/site.pem")
    commit()
    expect(await outcome(root, "Settings are in config/.env")).toBe("unknown")
    expect(await outcome(root, "The certificate is certs/site.pem")).toBe("unknown")
  })
})

describe("versions, dependencies, scripts and targets", () => {
  function app(): TestRepository {
    const repository = createRepository()
    repository.commit({
      "package.json": packageJson({
        scripts: { lint: "eslint .", e2e: "cypress" },
        dependencies: { react: "^18.2.0", moment: "^2.29.0" },
      }),
      Makefile: "deploy:\n\t./deploy\n\ndocs:\n\t./docs\n",
      ".nvmrc": "20\n",
    })
    repository.commit({
      "package.json": packageJson({ scripts: { lint: "eslint ." }, dependencies: { react: "^19.1.0" } }),
      Makefile: "deploy:\n\t./deploy\n",
      ".nvmrc": "22\n",
    })
    return repository
  }

  test("a version that differs is stale, and the text is corrected where it says nothing else", async () => {
    const { root } = app()
    expect(await judge(root, "The project uses React 18.")).toEqual({
      outcome: "stale",
      notes: ["React is at 19 now, not 18."],
      corrected: "The project uses React 19.",
    })
    expect(await judge(root, "We use Node 20 and React 19")).toMatchObject({
      outcome: "stale",
      corrected: undefined,
    })
    expect(await outcome(root, "We are on Node.js 22")).toBe("confirmed")
    expect(await outcome(root, "We use React 19.4")).toBe("unknown")
    for (const text of ["Requires React 18 or newer", "The staging server runs Node 20", "React 18 was slow"])
      expect(await outcome(root, text), text).toBe("unknown")
  })

  test("a lock tells exactly what a range leaves open", async () => {
    const repository = app()
    const packages = { "": {}, "node_modules/react": { version: "19.2.7" } }
    repository.commit({ "package-lock.json": JSON.stringify({ packages }) })
    expect(await outcome(repository.root, "We use React 19.2")).toBe("confirmed")
    expect(await outcome(repository.root, "We use React 19.1")).toBe("confirmed")
    expect(await outcome(repository.root, "We use React 19.4")).toBe("stale")
  })

  test("what went is stale, what is there is confirmed, what never was is unknown", async () => {
    const { root } = app()
    const told = {
      "Run `npm run lint` first": "confirmed",
      "Run `npm run e2e` first": "stale",
      "Run `npm run bench` first": "unknown",
      "Ship it with `make deploy`": "confirmed",
      "Build them with `make docs`": "stale",
      "Make sure it works": "unknown",
      "We use react for the page": "confirmed",
      "We use moment for dates": "stale",
      "We use feature flags": "unknown",
    }
    for (const [text, wanted] of Object.entries(told)) expect(await outcome(root, text), text).toBe(wanted)
  })

  test("a denial is borne out by absence and never stale", async () => {
    const { root } = app()
    const told = {
      "We no longer use moment": "confirmed",
      "Do not use react here": "unknown",
      "Never run `npm run lint` twice": "unknown",
      "We moved from moment to react": "unknown",
    }
    for (const [text, wanted] of Object.entries(told)) expect(await outcome(root, text), text).toBe(wanted)
  })

  test("manifests of other languages are read", async () => {
    const { root, commit } = createRepository()
    commit({
      "pyproject.toml":
        '[project]\nrequires-python = ">=3.12"\ndependencies = ["Django==5.0.1", "typing_extensions"]\n',
      "Cargo.toml": '[dependencies]\ntokio = { version = "1.38", features = ["full"] }\nserde = "1.0"\n',
      "go.mod": "module example.org/app\n\ngo 1.22\n\nrequire github.com/spf13/cobra v1.8.0\n",
      ".tool-versions": "nodejs 22.3.0\n",
    })
    for (const text of [
      "We use Django 5.0",
      "We use tokio 1.38",
      "We use serde",
      "We use Go 1.22",
      "We use cobra",
      "We are on Node 22.3",
    ])
      expect(await outcome(root, text), text).toBe("confirmed")
    expect(await outcome(root, "We use Django 4.2")).toBe("stale")
    expect(await outcome(root, "We use tokio 1.40")).toBe("unknown")
  })
})

test("a symbol is stale when code defined it once and nothing has it any more, whatever documents still say", async () => {
  const { root, commit } = createRepository()
  commit({
    "src/a.ts": "export function parseConfig() {}\n// mentions RemovedThing once\n",
    "notes.md": "parseConfig",
  })
  commit({ "src/a.ts": "export class ConfigReader {}\n" })
  expect(await outcome(root, "ConfigReader reads the configuration")).toBe("confirmed")
  expect(await outcome(root, "`parseConfig()` reads the configuration")).toBe("stale")
  expect(await outcome(root, "RemovedThing reads the configuration")).toBe("unknown")
})

describe("nothing is said of", () => {
  test("a folder outside git, a bare repository and one without commits", async () => {
    expect(await readCheckedOut(throwawayFolder())).toBeUndefined()
    expect(await readCheckedOut(join(throwawayFolder(), "gone"))).toBeUndefined()
    const bare = throwawayFolder()
    git(bare, "init", "--bare")
    expect(await readCheckedOut(bare)).toBeUndefined()
    expect(await readCheckedOut(createRepository().root)).toBeUndefined()
  })

  test("a repository without a branch checked out, or in the middle of a merge", async () => {
    const { root, commit, git } = createRepository()
    commit({ "a.ts": "a" })
    git("checkout", "--detach")
    expect(await readCheckedOut(root)).toBeUndefined()
    git("checkout", "main")
    expect(await readCheckedOut(root)).toBeDefined()
    mkdirSync(join(root, ".git/rebase-merge"))
    expect(await readCheckedOut(root)).toBeUndefined()
  })

  test("what a shallow clone does not have", async () => {
    const origin = createRepository()
    origin.commit({ "src/old.ts": "old", "src/a.ts": "a" })
    origin.git("rm", "src/old.ts")
    origin.commit()
    const clone = join(throwawayFolder(), "clone")
    git(origin.root, "clone", "--depth", "1", `file://${origin.root}`, clone)
    expect(await outcome(origin.root, "It is in src/old.ts")).toBe("stale")
    expect(await outcome(clone, "It is in src/old.ts")).toBe("unknown")
    expect(await outcome(clone, "It is in src/a.ts")).toBe("confirmed")
  })

  test("files that cannot be read or understood", async () => {
    const { root, commit } = createRepository()
    commit({ "package.json": "{ not json", "Cargo.toml": "[[[", "pyproject.toml": "", "go.mod": "\u0000" })
    commit({ "sub/package.json": packageJson({ dependencies: { zod: "^4.0.0" } }) })
    expect(await outcome(root, "We use zod")).toBe("confirmed")
    rmSync(join(root, "sub/package.json"))
    mkdirSync(join(root, "sub/package.json"))
    chmodSync(join(root, "Cargo.toml"), 0)
    expect(await outcome(root, "We use zod")).toBe("unknown")
  })

  test("texts and files that are made to be slow to read", async () => {
    const { root, commit } = createRepository()
    const spaces = " ".repeat(200_000)
    commit({
      Makefile: `a${spaces}b`,
      "go.mod": "\n".repeat(200_000),
      "pnpm-lock.yaml": `${spaces}\n`.repeat(3),
    })
    for (const unit of ["@", "--", "a/", "a.", "`", "we use ", "aB", "a_", "make "])
      expect(await outcome(root, unit.repeat(4000).slice(0, 4000)), unit).toBe("unknown")
  })

  test("a repository whose configuration names programs: none of them is started", async () => {
    const { root, commit, git } = createRepository()
    commit({ "src/a.ts": "export function oldName() {}\n", ".gitattributes": "*.ts diff=evil filter=evil\n" })
    commit({ "src/a.ts": "export function newName() {}\n" })
    const proof = join(root, "..", "started")
    for (const name of [
      "core.fsmonitor",
      "diff.external",
      "diff.evil.command",
      "diff.evil.textconv",
      "filter.evil.clean",
      "core.pager",
      "gpg.program",
    ])
      git("config", name, `touch '${proof}'; cat`)
    git("config", "log.showSignature", "true")
    rmSync(proof, { force: true })
    expect(await outcome(root, "`oldName()` and src/gone.ts are used by zod")).toBe("stale")
    expect(() => rmSync(proof)).toThrow(/ENOENT/)
  })
})
