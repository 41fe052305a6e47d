import { lstat, realpath } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { type BoundedText, isWithin, readBounded, readWithin } from "../../base/files/read-bounded.ts"
import { readEnvironment } from "../../config/environment.ts"
import { findWorkTree } from "../../git/git-folder.ts"
import { askGit, runGit } from "../../git/run-git.ts"
import { everything, type IgnoreList, isIgnored, parseIgnoreList } from "./ignore-rules.ts"

/** Tells which files git ignores, by reading the lists that git reads. */
export interface GitIgnored {
  /** Whether a file is ignored and not tracked, in its own repository or in this folder. */
  has(folder: string, file: string): Promise<boolean>
}

/** What the user's configuration of git says of ignoring. */
interface Settings {
  excludes: string
  ignoreCase: boolean
}

const believedMs = 60_000
const mostKept = 1000
const longestList = 262_144

/** Opens the reader of ignore lists; what git's configuration says is believed for a while. */
export function openGitIgnored({ clock }: { clock: Clock }): GitIgnored {
  const known = new Map<string, { settings: Promise<Settings>; until: number }>()

  function settingsOf(root: string): Promise<Settings> {
    const before = known.get(root)
    if (before !== undefined && before.until > clock.now()) return before.settings
    if (known.size >= mostKept) known.clear()
    const settings = readSettings(root)
    known.set(root, { settings, until: clock.now() + believedMs })
    return settings
  }

  async function isIgnoredIn({ root, gitFolder }: Ruled, file: string): Promise<boolean> {
    const path = relative(root, file).split(sep).join("/")
    const settings = await settingsOf(root)
    const lists = await listsFor({ root, gitFolder }, path, settings)
    if (lists.every(({ rules }) => rules.length === 0)) return false
    const found = await lstat(file).catch(() => undefined)
    const how = { isFolder: found?.isDirectory() ?? false, ignoreCase: settings.ignoreCase }
    return isIgnored(lists, path, how) && !(gitFolder !== undefined && (await isTracked(root, path)))
  }

  return {
    async has(folder, file) {
      // Behind a link stands a file of another folder; what either says holds.
      for (const one of new Set([file, await realPath(file)])) {
        for (const ruled of await ruledOver(folder, one)) if (await isIgnoredIn(ruled, one)) return true
      }
      return false
    },
  }
}

/** A folder whose lists hold for what is in it: a work tree, or one without git. */
interface Ruled {
  root: string
  gitFolder: string | undefined
}

/** Whose lists hold for a file: those of its own work tree and, if it is in this folder, the folder's. */
async function ruledOver(folder: string, file: string): Promise<Ruled[]> {
  const own = await findWorkTree(dirname(file))
  const inFolder = file !== folder && isWithin(folder, file)
  if (!inFolder || own?.root === folder) return own ? [own] : []
  const around = await findWorkTree(folder)
  const gitFolder = around?.root === folder ? around.gitFolder : undefined
  return [...(own ? [own] : []), { root: folder, gitFolder }]
}

/** The path without links, of a file that need not be there. */
async function realPath(file: string): Promise<string> {
  const whole = await realpath(file).catch(() => undefined)
  if (whole !== undefined) return whole
  return join(await realpath(dirname(file)).catch(() => dirname(file)), basename(file))
}

/** The strongest last: the user's own list, the clone's, and one in each folder on the way. */
async function listsFor(
  { root, gitFolder }: Ruled,
  path: string,
  { excludes, ignoreCase }: Settings,
): Promise<IgnoreList[]> {
  const bounds = { mostBytes: longestList }
  const asList = (read: BoundedText, folder: string) => {
    if (read.outcome === "read") return parseIgnoreList(read.text, folder, ignoreCase)
    return read.outcome === "missing" ? { folder, rules: [] } : everything(folder)
  }
  const lists = [asList(await readBounded(resolve(root, excludes), longestList), "")]
  if (gitFolder !== undefined) lists.push(asList(await readWithin(gitFolder, "info/exclude", bounds), ""))
  const parts = path.split("/")
  for (let depth = 0; depth < parts.length; depth += 1) {
    const folder = parts.slice(0, depth).join("/")
    const list = join(root, folder, ".gitignore")
    const found = await lstat(list).catch(() => undefined)
    // Git does not follow links here, and a folder of that name says nothing.
    if (found === undefined || found.isSymbolicLink() || found.isDirectory()) continue
    lists.push(asList(await readBounded(list, longestList), folder))
  }
  return lists
}

/** Where git's own configuration cannot be asked, its defaults hold. */
async function readSettings(root: string): Promise<Settings> {
  const { userHome, configHome } = readEnvironment()
  const args = ["-z", "--get-regexp", "^core\\.(excludesfile|ignorecase)$"]
  const { text } = await runGit(root, "config", args, { timeoutMs: 4000 })
  // Several may say it; the last is the strongest.
  const said = new Map(
    text.split("\0").map((entry): [string, string] => {
      const [name = "", ...value] = entry.split("\n")
      return [name, value.join("\n")]
    }),
  )
  const excludes =
    said.get("core.excludesfile") || join(configHome ?? join(userHome, ".config"), "git/ignore")
  const isOn = /^(?:true|yes|on|[1-9]\d*|)$/i.test(said.get("core.ignorecase") ?? "false")
  return { excludes: excludes.replace(/^~(?=\/)/, userHome), ignoreCase: isOn }
}

/** Whether git has the file all the same. Where it cannot tell, it does not count as tracked. */
async function isTracked(root: string, path: string): Promise<boolean> {
  const { text } = await runGit(root, "ls-files", ["-z", "--cached", "--", `:(top,literal)${path}`])
  return text.split("\0").includes(path)
}

/** The address for commits, as git has it for this folder or, without one, for the user; undefined if it has none. */
export function commitAddress(folder: string | null): Promise<string | undefined> {
  if (folder === null) return askGit("/", "config", "--global", "--get", "user.email")
  return isAbsolute(folder) ? askGit(folder, "config", "--get", "user.email") : Promise.resolve(undefined)
}
