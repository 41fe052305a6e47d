import { lstat, realpath } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { createExpiringCache } from "../../base/expiring-cache.ts"
import { type BoundedText, isWithin, readBounded, readWithin } from "../../base/files/read-bounded.ts"
import { readEnvironment } from "../../config/environment.ts"
import { findWorkTree } from "../../git/git-folder.ts"
import { askGit, runGit } from "../../git/run-git.ts"
import { everything, type IgnoreList, isIgnored, parseIgnoreList } from "./ignore-rules.ts"

/** Decides which files git ignores, by reading the same lists as git. */
export interface GitIgnored {
  /** Whether a file is ignored and not tracked, in its own repository or in this folder. */
  has(folder: string, file: string): Promise<boolean>
}

/** The parts of the user's git configuration that matter here. */
interface GitSettings {
  excludes: string
  ignoreCase: boolean
}

const longestListBytes = 262_144

/** Opens the reader of ignore lists. Git's configuration is cached for a minute. */
export function openGitIgnored(needs: { clock: Clock }): GitIgnored {
  const cache = createExpiringCache<string, Promise<GitSettings>>(needs, { ttlMs: 60_000, maxEntries: 1000 })

  async function isIgnoredIn({ root, gitFolder }: ListRoot, file: string): Promise<boolean> {
    const path = relative(root, file).split(sep).join("/")
    const settings = await cache.get(root, () => readSettings(root))
    const lists = await listsFor({ root, gitFolder }, path, settings)
    if (lists.every(({ rules }) => rules.length === 0)) return false
    const found = await lstat(file).catch(() => undefined)
    const how = { isFolder: found?.isDirectory() ?? false, ignoreCase: settings.ignoreCase }
    return isIgnored(lists, path, how) && !(gitFolder !== undefined && (await isTracked(root, path)))
  }

  return {
    async has(folder, file) {
      // A link may lead to a file in another folder; the lists of both apply.
      for (const path of new Set([file, await realPath(file)])) {
        for (const root of await listRootsOf(folder, path)) if (await isIgnoredIn(root, path)) return true
      }
      return false
    },
  }
}

/** A folder whose ignore lists apply to its contents: a work tree, or a folder without git. */
interface ListRoot {
  root: string
  gitFolder: string | undefined
}

/** The folders whose lists apply to a file: its own work tree and, if the file is in it, this folder. */
async function listRootsOf(folder: string, file: string): Promise<ListRoot[]> {
  const own = await findWorkTree(dirname(file))
  const inFolder = file !== folder && isWithin(folder, file)
  if (!inFolder || own?.root === folder) return own ? [own] : []
  const around = await findWorkTree(folder)
  const gitFolder = around?.root === folder ? around.gitFolder : undefined
  return [...(own ? [own] : []), { root: folder, gitFolder }]
}

/** The path without links, of a file that may not exist. */
async function realPath(file: string): Promise<string> {
  const whole = await realpath(file).catch(() => undefined)
  if (whole !== undefined) return whole
  return join(await realpath(dirname(file)).catch(() => dirname(file)), basename(file))
}

/** In order of increasing precedence: the user's own list, the clone's, and one of each folder on the path. */
async function listsFor(
  { root, gitFolder }: ListRoot,
  path: string,
  { excludes, ignoreCase }: GitSettings,
): Promise<IgnoreList[]> {
  const bounds = { mostBytes: longestListBytes }
  const asList = (read: BoundedText, folder: string) => {
    if (read.outcome === "read") return parseIgnoreList(read.text, folder, ignoreCase)
    return read.outcome === "missing" ? { folder, rules: [] } : everything(folder)
  }
  const lists = [asList(await readBounded(resolve(root, excludes), longestListBytes), "")]
  if (gitFolder !== undefined) lists.push(asList(await readWithin(gitFolder, "info/exclude", bounds), ""))
  const parts = path.split("/")
  for (let depth = 0; depth < parts.length; depth += 1) {
    const folder = parts.slice(0, depth).join("/")
    const list = join(root, folder, ".gitignore")
    const found = await lstat(list).catch(() => undefined)
    // Git does not follow a link here, and ignores a folder of that name.
    if (found === undefined || found.isSymbolicLink() || found.isDirectory()) continue
    lists.push(asList(await readBounded(list, longestListBytes), folder))
  }
  return lists
}

/** Reads git's configuration, or its defaults where git cannot be run. */
async function readSettings(root: string): Promise<GitSettings> {
  const { userHome, configHome } = readEnvironment()
  const args = ["-z", "--get-regexp", "^core\\.(excludesfile|ignorecase)$"]
  const { text } = await runGit(root, "config", args, { timeoutMs: 4000 })
  // The last value of a repeated key wins.
  const settings = new Map(
    text.split("\0").map((entry): [string, string] => {
      const [name = "", ...value] = entry.split("\n")
      return [name, value.join("\n")]
    }),
  )
  const excludes =
    settings.get("core.excludesfile") || join(configHome ?? join(userHome, ".config"), "git/ignore")
  const isOn = /^(?:true|yes|on|[1-9]\d*|)$/i.test(settings.get("core.ignorecase") ?? "false")
  return { excludes: excludes.replace(/^~(?=\/)/, userHome), ignoreCase: isOn }
}

/** Whether git tracks the file. If git cannot be run, it counts as untracked. */
async function isTracked(root: string, path: string): Promise<boolean> {
  const { text } = await runGit(root, "ls-files", ["-z", "--cached", "--", `:(top,literal)${path}`])
  return text.split("\0").includes(path)
}

/** The `user.email` that git uses in this folder, or globally for null; undefined if none is configured. */
export function commitAddress(folder: string | null): Promise<string | undefined> {
  if (folder === null) return askGit("/", "config", "--global", "--get", "user.email")
  return isAbsolute(folder) ? askGit(folder, "config", "--get", "user.email") : Promise.resolve(undefined)
}
