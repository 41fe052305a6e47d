import { runGit } from "../../../git/run-git.ts"
import { manifestNames } from "./manifest-forms.ts"
import { codeOnly } from "./tree.ts"

/** What a repository once contained, within limits. Each question is answered once. */
export interface History {
  /** Deleted paths, with the newest commit that deleted each. */
  deleted(): Promise<ReadonlyMap<string, string>>
  /** The newest path of a moved file or folder; undefined if no commit moved it. */
  renamed(path: string): Promise<string | undefined>
  /** Lines that were removed from a manifest or changed. */
  removedLines(): Promise<readonly string[]>
  /** Whether code once defined this name; undefined if the search takes too long. */
  wasDefined(name: string): Promise<boolean | undefined>
  /** Whether the search budget is used up, so that the caller must ask again later. */
  isSpent(): boolean
}

const mostCommits = 10_000
const mostManifestCommits = 500
const listMs = 20_000
const searchMs = 5000
/** At most this many searches through the whole history, for one opening. */
const mostSearches = 40
const mostHops = 5

/** Opens the history of a commit. What takes too long counts as unknown. */
export function openHistory(root: string, commit: string, signal?: AbortSignal): History {
  const once = <T>(work: () => Promise<T>) => {
    let found: Promise<T> | undefined
    return () => {
      found ??= work()
      return found
    }
  }
  const deleted = once(async () => {
    const options = ["--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H"]
    const args = [...options, `-n${mostCommits}`, commit, "--"]
    const bounds = { timeoutMs: listMs, mostBytes: 64 * 1024 * 1024, signal }
    const { text } = await runGit(root, "log", args, bounds)
    return readDeleted(text)
  })
  const removedLines = once(async () => {
    const names = manifestNames.map((name) => `:(glob)**/${name}`)
    const options = ["-p", "-U0", "--no-renames", "--format=", `-n${mostManifestCommits}`]
    const args = [...options, commit, "--", ...names]
    const { text } = await runGit(root, "log", args, { timeoutMs: listMs, signal })
    return text
      .split("\n")
      .flatMap((line) => (line.startsWith("-") && !line.startsWith("---") ? [line.slice(1)] : []))
  })
  let [searches, isSpent, isSlow] = [0, false, false]
  const defined = new Map<string, Promise<boolean | undefined>>()
  const search = async (name: string) => {
    isSpent ||= searches >= mostSearches
    if (isSlow || isSpent) return undefined
    searches += 1
    const args = ["-1", "--format=%H", "-E", `-G${definitionOf(name)}`, commit, "--", ".", ...codeOnly]
    const { code, text, isComplete } = await runGit(root, "log", args, { timeoutMs: searchMs, signal })
    // A search that is too slow once would be again.
    isSlow ||= !isComplete
    return code === 0 && isComplete ? text.trim() !== "" : undefined
  }
  return {
    deleted,
    removedLines,
    isSpent: () => isSpent,
    async renamed(path) {
      const gone = await deleted()
      return follow(path, (one) => renamesOf(root, one, gone, signal))
    },
    wasDefined(name) {
      const known = defined.get(name) ?? search(name)
      defined.set(name, known)
      return known
    },
  }
}

/** Reads commits, which start with \u0001, and their paths. */
function readDeleted(text: string): Map<string, string> {
  const found = new Map<string, string>()
  let commit = ""
  for (const raw of text.split("\0")) {
    const part = raw.replace(/^\n/, "")
    if (part.startsWith("\u0001")) {
      const [head = "", first] = part.slice(1).split("\n")
      commit = head
      if (first) addDeleted(found, first, commit)
    } else if (part !== "") addDeleted(found, part, commit)
  }
  return found
}

/** Adds a path and its folders. The newest commit comes first and stays. */
function addDeleted(found: Map<string, string>, path: string, commit: string): void {
  if (!found.has(path)) found.set(path, commit)
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    const folder = `${path.slice(0, slash)}/`
    if (!found.has(folder)) found.set(folder, commit)
  }
}

async function follow(
  path: string,
  next: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  let current: string | undefined
  for (let hop = 0; hop < mostHops; hop += 1) {
    const further: string | undefined = await next(current ?? path)
    if (further === undefined || further === path) break
    current = further
  }
  return current
}

/** The new path in the commit that deleted a path. For a folder, all its files must have moved to the same folder. */
async function renamesOf(
  root: string,
  path: string,
  gone: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const commit = gone.get(path)
  if (commit === undefined) return undefined
  const args = ["-M50%", "-l2000", "--diff-filter=R", "--name-status", "-z", "--format=", commit, "--"]
  const { code, text } = await runGit(root, "show", args, { signal })
  if (code !== 0) return undefined
  const parts = text.split("\0")
  const targets = new Set<string>()
  for (let index = 0; index + 2 < parts.length; index += 3) {
    const [, from = "", to = ""] = parts.slice(index, index + 3)
    if (from === path) return to
    if (!path.endsWith("/") || !from.startsWith(path)) continue
    const rest = `/${from.slice(path.length)}`
    targets.add(to.endsWith(rest) ? to.slice(0, -rest.length + 1) : "")
  }
  const [only] = targets
  return targets.size === 1 && only ? only : undefined
}

/** An extended regular expression for definitions of a name in common languages. */
function definitionOf(name: string): string {
  const own = name.replaceAll("$", "\\$")
  const words =
    "(class|function\\*?|const|let|var|interface|type|enum|def|fn|func|struct|trait|impl|module|object|record|macro|static|final|val|public|private|protected|async|export|default|#define)"
  const end = "([^A-Za-z0-9_]|$)"
  return [
    `${words}[[:space:]]+(\\([^)]*\\)[[:space:]]*)?${own}${end}`,
    `^[[:space:]]*${own}[[:space:]]*(\\(.*\\).*[{:]|:?=)`,
    `(env|environ|getenv|ENV)[^A-Za-z0-9]+${own}${end}`,
  ].join("|")
}
