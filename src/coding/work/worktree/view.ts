import { existsSync, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { runGit } from "../../../git/run-git.ts"
import type { SandboxView } from "../sandbox/sandbox.ts"
import type { Worktree } from "./record.ts"

/** What a checkout has besides its commits that tests need: downloaded packages. */
const packages = ["node_modules", ".venv", "venv", "vendor"]
/** What git needs to read history; its configuration may hold passwords, and its hooks are nobody's business. */
const history = ["HEAD", "objects", "refs", "packed-refs", "shallow"]

/** What commands in a worktree's sandbox see of the project. */
export async function viewOf(worktree: Worktree): Promise<SandboxView> {
  const { root, project, gitFolder, ownGitFolder } = worktree
  const shared = history.map((name) => join(gitFolder, name)).filter((path) => existsSync(path))
  const downloaded = packages.filter((name) => isFolder(join(project, name)) && !isThere(join(root, name)))
  return {
    root,
    readable: [
      ...[...shared, ownGitFolder].map((path) => ({ from: path, to: path })),
      // Programs in a virtual environment name their folder.
      ...downloaded
        .filter((name) => name.includes("venv"))
        .map((name) => ({ from: join(project, name), to: join(project, name) })),
      ...downloaded.map((name) => ({ from: join(project, name), to: join(root, name) })),
      { from: join(root, ".git"), to: join(root, ".git") },
    ],
    files: [{ to: join(gitFolder, "config"), text: await plainConfig(project) }],
  }
}

/** Only what says how the repository is stored. */
async function plainConfig(project: string): Promise<string> {
  const { text } = await runGit(project, "config", [
    ...[
      "--local",
      "--no-includes",
      "--get-regexp",
      "^(core\\.repositoryformatversion|extensions\\.(objectformat|refstorage))$",
    ],
  ])
  const said = text.split("\n").map((line) => line.split(" ", 2) as [string, string?])
  const value = (name: string) => said.findLast(([one]) => one === name)?.[1]
  const word = (name: string) => (/^[a-z0-9]+$/.test(value(name) ?? "") ? value(name) : undefined)
  const extensions = ["objectformat", "refstorage"].flatMap((name) => {
    const found = word(`extensions.${name}`)
    return found === undefined ? [] : [`\t${name} = ${found}`]
  })
  return [
    "[core]",
    `\trepositoryformatversion = ${word("core.repositoryformatversion") ?? "0"}`,
    "\tbare = false",
    "[extensions]",
    ...extensions,
    "",
  ].join("\n")
}

/** A real folder; where a link leads is not ours to show. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Whether the commit itself has it; an empty folder is where it was shown before. */
function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && (!found.isDirectory() || readdirSync(path).length > 0)
}
