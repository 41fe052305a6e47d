import { execFile } from "node:child_process"
import { readFile, stat } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import ignore from "ignore"
import { gitEnvironment } from "../../config/environment.ts"

const timeoutMs = 5000
const longestList = 262_144

/** Whether git ignores this file, asked in this folder; where git cannot tell, the .gitignore files are read. */
export async function ignoredByGit(folder: string, file: string): Promise<boolean> {
  // A file of a submodule, or behind a link, is not this repository's: its own folder knows.
  const answer = (await askGit(folder, file)) ?? (await askGit(dirname(file), file))
  return answer ?? (await ignoredByFiles(folder, file))
}

/** Git's own answer; undefined without git, outside a repository, or if it takes too long. */
function askGit(folder: string, file: string): Promise<boolean | undefined> {
  // The repository's configuration must not be able to have a program started.
  const args = ["-C", folder, "-c", "core.fsmonitor=false", "check-ignore", "--quiet", "--", file]
  return new Promise((done) => {
    execFile("git", args, { timeout: timeoutMs, env: gitEnvironment() }, (error) => {
      if (error === null) done(true)
      else done(error.code === 1 ? false : undefined)
    })
  })
}

/** The nearest .gitignore that says anything about the file decides. */
async function ignoredByFiles(folder: string, file: string): Promise<boolean> {
  const path = relative(folder, file).split(sep)
  if (path[0] === ".." || path[0] === "") return false
  const folders = path.map((_, depth) => join(folder, ...path.slice(0, depth)))
  for (const [depth, current] of folders.toReversed().entries()) {
    const rules = await rulesIn(current)
    const below = path.slice(path.length - 1 - depth).join("/")
    const { ignored, unignored } = rules.test(below)
    if (ignored) return true
    if (unignored) return false
  }
  return false
}

async function rulesIn(folder: string): Promise<ReturnType<typeof ignore>> {
  const rules = ignore({ ignorecase: false })
  const file = join(folder, ".gitignore")
  try {
    return (await stat(file)).size > longestList ? rules.add("*") : rules.add(await readFile(file, "utf8"))
  } catch {
    return rules
  }
}

/** The address for commits, as git has it for this folder or, without one, for the user; undefined if it has none. */
export function commitAddress(folder: string | null): Promise<string | undefined> {
  const where = folder === null ? ["config", "--global"] : ["-C", folder, "config"]
  return new Promise((done) => {
    const options = { timeout: timeoutMs, env: gitEnvironment() }
    execFile("git", [...where, "--get", "user.email"], options, (error, stdout) => {
      done(error === null && stdout.trim() !== "" ? stdout.trim() : undefined)
    })
  })
}
