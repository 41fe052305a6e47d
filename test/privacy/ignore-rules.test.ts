import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { type IgnoreList, isIgnored, parseIgnoreList } from "../../src/privacy/files/ignore-rules.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

const atoms = [
  ...[
    "a",
    "b",
    "ab",
    "foo",
    "*",
    "**",
    "?",
    "[ab]",
    "[!a]",
    "[a-c]",
    "[^b-]",
    "[]a]",
    "[[:alpha:]]",
    "[a",
    "\\a",
  ],
  ...[
    "\\*",
    "é",
    ".",
    "*.log",
    "log",
    "/",
    "/",
    "/",
    "/",
    "**/",
    "/**",
    "/**/",
    " ",
    "\\ ",
    "#",
    "[\\]]",
    "[a/b]",
  ],
  ...["!", "[[:x:]]", "[[:constructor:]]", "[-a]", "[a-\\c]", "A", "\\"],
]
const names = [
  ...[
    "a",
    "b",
    "ab",
    "foo",
    "fooab",
    "a.log",
    "log",
    "é",
    "*",
    "A",
    "a b",
    "#a",
    "!b",
    "c",
    "bar",
    "]",
    "-",
    "a ",
  ],
  ...["x.log", "foob"],
]

function world(seed: number) {
  const random = createSeededRandom(seed)
  const pick = (from: readonly string[]) => from[Math.floor(random.next() * from.length)] ?? ""
  const some = <T>(most: number, make: () => T) =>
    Array.from({ length: 1 + Math.floor(random.next() * most) }, make)
  const line = () =>
    (random.next() < 0.25 ? "!" : "") + some(4, () => pick(atoms)).join("") + (random.next() < 0.2 ? "/" : "")
  const list = () => some(5, line).join(random.next() < 0.1 ? "\r\n" : "\n")
  const paths = [...new Set(Array.from({ length: 40 }, () => some(4, () => pick(names)).join("/")))]
  const files = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)))
  const folders = new Set(files.map((file) => dirname(file)).filter((folder) => folder !== "."))
  const lists = new Map([["", list()]])
  for (const folder of folders) if (random.next() < 0.3) lists.set(folder, list())
  return { files, lists, exclude: list() }
}

/** What git says of each file. */
function askGit({ files, lists, exclude }: ReturnType<typeof world>): Map<string, boolean> {
  const root = throwawayFolder()
  spawnSync("git", ["init", "-q", root])
  for (const file of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    writeFileSync(join(root, file), "")
  }
  for (const [folder, text] of lists) writeFileSync(join(root, folder, ".gitignore"), text)
  writeFileSync(join(root, ".git/info/exclude"), exclude)
  const args = [
    "-C",
    root,
    "-c",
    "core.excludesFile=/dev/null",
    "check-ignore",
    "--no-index",
    "-z",
    "--stdin",
    "-v",
    "-n",
  ]
  const { stdout } = spawnSync("git", args, {
    input: files.map((file) => `${file}\0`).join(""),
    encoding: "utf8",
  })
  const parts = stdout.split("\0")
  const said = new Map<string, boolean>()
  for (let at = 0; at + 3 < parts.length; at += 4) {
    const [source, , pattern = "", file = ""] = parts.slice(at, at + 4)
    said.set(file, source !== "" && !pattern.startsWith("!"))
  }
  return said
}

/** The lists that hold for a file, the strongest last. */
function listsFor({ exclude, lists }: ReturnType<typeof world>, file: string): IgnoreList[] {
  const found = [parseIgnoreList(exclude, "", false)]
  const parts = file.split("/")
  for (const [depth] of parts.entries()) {
    const folder = parts.slice(0, depth).join("/")
    const text = lists.get(folder)
    if (text !== undefined) found.push(parseIgnoreList(text, folder, false))
  }
  return found
}

describe("Ignore lists", () => {
  test("say what git says, whatever stands in them", () => {
    let [asked, ignored] = [0, 0]
    for (let seed = 1; seed <= 40; seed += 1) {
      const given = world(seed)
      for (const [file, said] of askGit(given)) {
        const ours = isIgnored(listsFor(given, file), file, { isFolder: false, ignoreCase: false })
        expect(ours, JSON.stringify({ file, lists: [...given.lists], exclude: given.exclude })).toBe(said)
        asked += 1
        if (said) ignored += 1
      }
    }
    expect(asked).toBeGreaterThan(1000)
    expect(ignored / asked).toBeGreaterThan(0.1)
  })

  test("that take too long ignore everything", () => {
    const list = parseIgnoreList(`${"**/a/".repeat(60)}b\n`.repeat(500), "", false)
    expect(isIgnored([list], `${"a/".repeat(400)}c`, { isFolder: false, ignoreCase: false })).toBe(true)
    expect(isIgnored([list], "src/app.ts", { isFolder: false, ignoreCase: false })).toBe(false)
  })
})
