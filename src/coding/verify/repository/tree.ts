import { readWithin } from "../../../base/files/read-bounded.ts"
import { askGit, runGit } from "../../../git/run-git.ts"

/** The files of one checkout: the work tree or a branch. Nothing in it is run, and no link is followed. */
export interface Tree {
  /** The paths of all files that git does not ignore. */
  files: ReadonlySet<string>
  /** Every path and every ending of one, for names without their folder. Folders end with a slash. */
  endings: ReadonlySet<string>
  /** Folders that are submodules. */
  modules: readonly string[]
  /** The text of a file; undefined if it is missing, not a regular file or too long. */
  read(path: string): Promise<string | undefined>
  /** Whether a code file contains each word; undefined if the search takes too long. */
  findWords(words: readonly string[]): Promise<ReadonlyMap<string, boolean | undefined>>
}

const mostListed = 64 * 1024 * 1024
const longestFile = 20 * 1024 * 1024
const grepMs = 30_000
/** How many words one search looks for. */
const wordsAtOnce = 100

/** Excludes files that may mention a name after its code is gone, and files of secrets. */
export const codeOnly = [
  ...[
    "*.md",
    "*.mdx",
    "*.rst",
    "*.txt",
    "*.adoc",
    "*.log",
    "*.lock",
    "*lock.json",
    "*lock.yaml",
    "*.svg",
    "*.csv",
  ],
  ...[
    "*.jsonl",
    "*.snap",
    "*.map",
    "*.min.js",
    "CHANGELOG*",
    "LICENSE*",
    "docs/*",
    ".env*",
    "*/.env*",
    "*.pem",
  ],
  ...["*.key", "*.p12", "*.pfx", "*.jks", "*.asc", "*.gpg", "id_rsa*", "id_ed25519*"],
].map((pattern) => `:(exclude)${pattern}`)

/** Opens the work tree: tracked files that still exist, and new files that git does not ignore. */
export async function openWorkTree(root: string, signal?: AbortSignal): Promise<Tree | undefined> {
  // One list with a letter for each file: ? is untracked, R is deleted, other letters are tracked.
  const args = ["-z", "-t", "--cached", "--stage", "--others", "--deleted", "--exclude-standard"]
  const lines = await listedBy(root, "ls-files", args, signal)
  if (lines === undefined) return undefined
  const listed = lines.map((line) => ({ letter: line.charAt(0), rest: line.slice(2) }))
  const others = listed.filter(({ letter }) => letter === "?").map(({ rest }) => rest)
  const missing = new Set(
    listed.filter(({ letter }) => letter === "R").map(({ rest }) => readEntry(rest).path),
  )
  const entries = listed
    .filter(({ letter }) => letter !== "?" && letter !== "R")
    .map(({ rest }) => readEntry(rest))
  const tracked = entries.filter(({ mode }) => mode !== "160000").map(({ path }) => path)
  return makeTree({
    files: [...tracked.filter((path) => !missing.has(path)), ...others],
    modules: entries.filter(({ mode }) => mode === "160000").map(({ path }) => path),
    read: (path) => readPlain(root, path),
    findWords: (words) => grep(root, { options: ["--untracked"], commits: [] }, words, signal),
  })
}

/** The NUL-separated output of a git command; undefined if it fails. */
async function listedBy(
  root: string,
  command: "ls-files" | "ls-tree",
  args: readonly string[],
  signal?: AbortSignal,
) {
  const { code, text } = await runGit(root, command, args, {
    mostBytes: mostListed,
    timeoutMs: 30_000,
    signal,
  })
  return code === 0 ? text.split("\0").filter((line) => line !== "") : undefined
}

/** Opens a commit. */
export async function openBranch(
  root: string,
  commit: string,
  signal?: AbortSignal,
): Promise<Tree | undefined> {
  const lines = await listedBy(root, "ls-tree", ["-r", "-z", commit], signal)
  if (lines === undefined) return undefined
  const entries = lines.map(readEntry)
  return makeTree({
    files: entries.filter(({ mode }) => mode !== "160000").map(({ path }) => path),
    modules: entries.filter(({ mode }) => mode === "160000").map(({ path }) => path),
    async read(path) {
      const entry = entries.find((one) => one.path === path)
      // The content of a link is its target.
      if (entry === undefined || !entry.mode.startsWith("100")) return undefined
      const size = await askGit(root, "cat-file", "-s", `${commit}:${path}`)
      if (size === undefined || Number(size) > longestFile) return undefined
      const args = ["blob", `${commit}:${path}`]
      const answer = await runGit(root, "cat-file", args, { mostBytes: longestFile, signal })
      return answer.code === 0 ? answer.text : undefined
    },
    findWords: (words) => grep(root, { options: [], commits: [commit] }, words, signal),
  })
}

function readEntry(line: string): { mode: string; path: string } {
  const tab = line.indexOf("\t")
  return { mode: line.slice(0, 6), path: line.slice(tab + 1) }
}

function makeTree(parts: {
  files: readonly string[]
  modules: readonly string[]
  read: Tree["read"]
  findWords: Tree["findWords"]
}): Tree {
  const folders = new Set<string>()
  const endings = new Set<string>()
  for (const path of parts.files) {
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
      folders.add(path.slice(0, slash))
      endings.add(path.slice(slash + 1))
    }
    endings.add(path)
  }
  for (const folder of [...folders]) {
    for (let slash = folder.indexOf("/"); slash !== -1; slash = folder.indexOf("/", slash + 1))
      endings.add(`${folder.slice(slash + 1)}/`)
    endings.add(`${folder}/`)
  }
  return { ...parts, files: new Set(parts.files), endings }
}

/** The text of a regular file. No link on the way is followed. */
async function readPlain(root: string, path: string): Promise<string | undefined> {
  const read = await readWithin(root, path, { mostBytes: longestFile, links: "none" })
  return read.outcome === "read" ? read.text : undefined
}

/** Searches for many words at once, because opening the files takes most of the time. */
async function grep(
  root: string,
  { options, commits }: { options: readonly string[]; commits: readonly string[] },
  words: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, boolean | undefined>> {
  const found = new Map<string, boolean | undefined>()
  for (let from = 0; from < words.length; from += wordsAtOnce) {
    const some = words.slice(from, from + wordsAtOnce)
    const patterns = some.flatMap((word) => ["-e", word])
    const args = ["-o", "-h", "-I", "-w", "-F", ...options, ...patterns, ...commits, "--", ".", ...codeOnly]
    const { code, text, isComplete } = await runGit(root, "grep", args, { timeoutMs: grepMs, signal })
    const seen = new Set(text.split("\n"))
    const isSure = isComplete && (code === 0 || code === 1)
    for (const word of some) found.set(word, seen.has(word) ? true : isSure ? false : undefined)
  }
  return found
}
