import { gitEnvironment } from "../config/environment.ts"
import { type GitAnswer, type GitBounds, safeSettings, safeVariables, start } from "./run-git.ts"

/**
 * Commands that write branches, commits and the files of git itself. None of them reads or writes files of a work tree,
 * so that no filter, attribute or hook of the repository has a say.
 */
const commands = {
  "cat-file": [],
  "commit-tree": ["--no-gpg-sign"],
  "diff-tree": ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short"],
  "hash-object": ["--no-filters"],
  "ls-tree": [],
  "read-tree": [],
  "rev-parse": [],
  "update-index": [],
  "update-ref": [],
  worktree: [],
  "write-tree": [],
} as const satisfies Record<string, readonly string[]>

interface ChangeBounds extends GitBounds {
  /** An index of its own, so that the user's is not touched. */
  index?: string
  /** Who a commit is by. */
  author?: { name: string; email: string }
}

/** Runs git on a repository's own files, without a work tree and without the user's or the machine's configuration. */
export function changeGit(
  gitFolder: string,
  command: keyof typeof commands,
  args: readonly string[],
  { index, author, ...bounds }: ChangeBounds = {},
): Promise<GitAnswer> {
  const settings = optionsFor({ ...safeSettings, "core.bare": "true" })
  const all = [...settings, command, ...commands[command], ...args]
  const env = {
    ...gitEnvironment(),
    ...safeVariables(),
    GIT_DIR: gitFolder,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    ...(author === undefined ? {} : authorVariables(author)),
  }
  return start(all, env, { keepErrors: true, ...bounds })
}

function authorVariables({ name, email }: { name: string; email: string }): NodeJS.ProcessEnv {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}

/** Protocols that name an address, not a program. */
const protocols = "https:ssh:file"

/** Receives without the hooks of a repository on this machine: they would be programs that a repository names. */
const quietReceiver = "git -c core.hooksPath=/dev/null -c core.fsmonitor=false receive-pack"

/**
 * Looks at, or pushes to, a remote repository from an empty one, so that nothing that the project's configuration says
 * has a say: no helper for passwords, no command for ssh, no other address. The user's own configuration has.
 */
export function remoteGit(
  emptyFolder: string,
  command: "ls-remote" | "push" | "init",
  args: readonly string[],
  bounds: GitBounds = {},
): Promise<GitAnswer> {
  const {
    "credential.helper": _helper,
    "core.sshCommand": _ssh,
    "core.gitProxy": _proxy,
    "protocol.allow": _allow,
    "safe.bareRepository": _bare,
    ...settings
  } = safeSettings
  const { GIT_SSH: _a, GIT_SSH_COMMAND: _b, GIT_PROXY_COMMAND: _c, ...variables } = safeVariables()
  const receiver = command === "push" ? [`--receive-pack=${quietReceiver}`] : []
  const isHere = args.some((one) => one.startsWith("/"))
  const all = [...optionsFor(settings), command, ...(isHere ? receiver : []), ...args]
  const env = {
    ...gitEnvironment(),
    ...variables,
    GIT_DIR: emptyFolder,
    GIT_ALLOW_PROTOCOL: protocols,
  }
  return start(all, env, { keepErrors: true, ...bounds })
}

function optionsFor(settings: Readonly<Record<string, string>>): string[] {
  return [
    "--no-pager",
    "--no-optional-locks",
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]
}
