import { existsSync, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { runGit } from "../../../git/run-git.ts"
import type { SandboxView } from "../sandbox/sandbox.ts"
import type { Worktree } from "./record.ts"

/** Folders of downloaded packages, which tests need and commits do not contain. */
const packages = ["node_modules", ".venv", "venv", "vendor"]
/** The files that git needs to read history. Its configuration may contain passwords, so it is not among them. */
const history = ["HEAD", "objects", "refs", "packed-refs", "shallow"]

/** The files of the project that commands in a worktree's sandbox see. */
export async function viewOf(worktree: Worktree): Promise<SandboxView> {
  const { root, project, gitFolder, ownGitFolder } = worktree
  const shared = history.map((name) => join(gitFolder, name)).filter((path) => existsSync(path))
  const downloaded = packages.filter((name) => isFolder(join(project, name)) && !isThere(join(root, name)))
  return {
    root,
    readable: [
      ...[...shared, ownGitFolder].map((path) => ({ from: path, to: path })),
      // Programs in a virtual environment contain its absolute path.
      ...downloaded
        .filter((name) => name.includes("venv"))
        .map((name) => ({ from: join(project, name), to: join(project, name) })),
      ...downloaded.map((name) => ({ from: join(project, name), to: join(root, name) })),
      { from: join(root, ".git"), to: join(root, ".git") },
    ],
    files: [{ to: join(gitFolder, "config"), text: await plainConfig(project) }],
  }
}

/** A configuration with only the settings for the repository's format. */
async function plainConfig(project: string): Promise<string> {
  const names = "^(core\\.repositoryformatversion|extensions\\.(objectformat|refstorage))$"
  const args = ["--local", "--no-includes", "--get-regexp", names]
  const { text } = await runGit(project, "config", args)
  const lines = text.split("\n").map((line) => line.split(" ", 2) as [string, string?])
  const value = (name: string) => lines.findLast(([one]) => one === name)?.[1]
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

/** Whether this is a folder and not a link: a link may lead out of the project. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Whether the worktree has it. An empty folder is a mount point from an earlier run. */
function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && (!found.isDirectory() || readdirSync(path).length > 0)
}
