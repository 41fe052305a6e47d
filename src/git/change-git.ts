import { gitEnvironment } from "../config/environment.ts"
import {
  type GitBounds,
  type GitResult,
  optionsFor,
  safeSettings,
  safeVariables,
  startGit,
} from "./run-git.ts"

/**
 * Commands that write branches, commits and git's own files. None of them touches files of a work tree, so no filter,
 * attribute or hook of the repository applies.
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
  /** A separate index, so that the user's does not change. */
  index?: string
  /** The author and committer of a commit. */
  author?: { name: string; email: string }
}

/** Runs git on a repository without a work tree, and without the user's and the machine's configuration. */
export function changeGit(
  gitFolder: string,
  command: keyof typeof commands,
  args: readonly string[],
  { index, author, ...bounds }: ChangeBounds = {},
): Promise<GitResult> {
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
  return startGit(all, env, { captureErrors: true, ...bounds })
}

function authorVariables({ name, email }: { name: string; email: string }): NodeJS.ProcessEnv {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}

/** The protocols whose addresses cannot name a program. */
const protocols = "https:ssh:file"

/** Receives a push into a local repository without its hooks: they are programs that a repository names. */
const quietReceiver = "git -c core.hooksPath=/dev/null -c core.fsmonitor=false receive-pack"

/**
 * Reads or pushes to a remote repository from an empty one, so that the project's configuration has no effect: no
 * credential helper, no ssh command, no other address. The user's own configuration applies.
 */
export function remoteGit(
  emptyFolder: string,
  command: "ls-remote" | "push" | "init",
  args: readonly string[],
  bounds: GitBounds = {},
): Promise<GitResult> {
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
  const isLocal = args.some((one) => one.startsWith("/"))
  const all = [...optionsFor(settings), command, ...(isLocal ? receiver : []), ...args]
  const env = {
    ...gitEnvironment(),
    ...variables,
    GIT_DIR: emptyFolder,
    GIT_ALLOW_PROTOCOL: protocols,
  }
  return startGit(all, env, { captureErrors: true, ...bounds })
}
