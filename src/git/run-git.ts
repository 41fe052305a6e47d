import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { killGroup } from "../base/processes.ts"
import { gitEnvironment } from "../config/environment.ts"

/** The result of a git command. */
export interface GitResult {
  /** Its exit code; null if it was stopped or could not be started. */
  code: number | null
  /** Its standard output, perhaps incomplete. */
  text: string
  /** The same as bytes. */
  bytes: Buffer
  /** Its standard error, if `captureErrors` is set. */
  errors: string
  /** Whether it ended by itself, within its limits of time and size. */
  isComplete: boolean
}

export interface GitBounds {
  timeoutMs?: number
  mostBytes?: number
  signal?: AbortSignal | undefined
  /** Its standard input. */
  input?: string | Buffer
  captureErrors?: boolean
}

const timeoutMs = 10_000
/** For questions that git answers from its configuration or references. */
const shortMs = 4000
const mostBytes = 16 * 1024 * 1024
const longestErrors = 4000
/** The memory that git may use, in kB: a small pack can contain files of gigabytes. */
const mostMemory = 4 * 1024 * 1024

const showOptions = [
  ...["--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color", "--no-mailmap", "--no-notes"],
  // Other formats start git in the submodule, with the submodule's configuration.
  "--submodule=short",
]

/**
 * The only git commands that run on a work tree; all of them read. The options keep each from starting a program that
 * the repository names, and from using output formats that the repository sets.
 */
const commands = {
  blame: ["--no-textconv", "--no-progress"],
  "cat-file": [],
  config: [],
  "diff-tree": ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short"],
  "for-each-ref": [],
  grep: ["--no-color", "--no-textconv", "--no-line-number", "--no-column", "--no-recurse-submodules"],
  log: showOptions,
  "ls-files": [],
  "ls-tree": [],
  remote: [],
  "rev-parse": [],
  show: showOptions,
  "symbolic-ref": [],
} as const satisfies Record<string, readonly string[]>

type GitCommand = keyof typeof commands

/** Overrides settings by which a repository could name a program, a file to wait for, or the network. */
export const safeSettings = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.editor": "false",
  "core.askPass": "false",
  "core.sshCommand": "false",
  "core.gitProxy": "false",
  "core.alternateRefsCommand": "false",
  "core.attributesFile": "/dev/null",
  "core.untrackedCache": "false",
  "core.quotePath": "false",
  "core.bigFileThreshold": "32m",
  "core.packedGitWindowSize": "64m",
  "core.packedGitLimit": "1g",
  "credential.helper": "",
  "protocol.allow": "never",
  "submodule.recurse": "false",
  "diff.submodule": "short",
  "diff.orderFile": "/dev/null",
  "log.showSignature": "false",
  "log.mailmap": "false",
  "mailmap.file": "/dev/null",
  "gpg.program": "false",
  "gpg.ssh.program": "false",
  "gpg.x509.program": "false",
  "interactive.diffFilter": "cat",
  "safe.bareRepository": "explicit",
  "color.ui": "false",
}

/** The options before every git command. */
export function optionsFor(settings: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  return ["--no-pager", "--no-optional-locks", ...values]
}

/**
 * Runs a git command that reads a work tree, given its top folder: without network, within limits of time, size and
 * memory, and without programs that the repository names. It never throws; see the exit code.
 */
export function runGit(
  root: string,
  command: GitCommand,
  args: readonly string[],
  bounds: GitBounds = {},
): Promise<GitResult> {
  const all = ["-C", root, ...optionsFor(safeSettings), command, ...commands[command], ...args]
  return startGit(all, environmentAt(root), bounds)
}

/** The output of a quick git command without surrounding space; undefined if it fails or prints nothing. */
export async function askGit(
  root: string,
  command: GitCommand,
  ...args: string[]
): Promise<string | undefined> {
  const { code, text } = await runGit(root, command, args, { timeoutMs: shortMs })
  const line = text.trim()
  return code === 0 && line !== "" ? line : undefined
}

/** Git's version, such as "git version 2.53.0"; undefined if it is not installed. */
export async function gitVersion(): Promise<string | undefined> {
  const { code, text } = await startGit(["--version"], environmentAt("/"), {})
  return code === 0 ? text.trim() : undefined
}

function environmentAt(root: string): NodeJS.ProcessEnv {
  return {
    ...gitEnvironment(),
    // The repository cannot set its work tree, and git does not search the folders above.
    GIT_WORK_TREE: root,
    GIT_CEILING_DIRECTORIES: dirname(root),
    ...safeVariables(),
  }
}

/** Variables that keep git from the network, prompts and programs. They override every configuration. */
export function safeVariables(): NodeJS.ProcessEnv {
  return {
    // A partial clone would fetch missing objects. Old versions of git know only the second variable.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "false",
    SSH_ASKPASS: "false",
    SSH_ASKPASS_REQUIRE: "never",
    GIT_SSH: "false",
    GIT_SSH_COMMAND: "false",
    GIT_PROXY_COMMAND: "false",
    GIT_PAGER: "cat",
    GIT_EDITOR: "false",
    LC_ALL: "C",
  }
}

/** Starts git in its own process group, so that it can be killed with everything it started. Only for `src/git`. */
export function startGit(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  bounds: GitBounds,
): Promise<GitResult> {
  const most = bounds.mostBytes ?? mostBytes
  const limits = [
    AbortSignal.timeout(bounds.timeoutMs ?? timeoutMs),
    ...(bounds.signal ? [bounds.signal] : []),
  ]
  const ended = AbortSignal.any(limits)
  // Program arguments cannot contain NUL.
  if (ended.aborted || args.some((one) => one.includes("\0")))
    return Promise.resolve({ code: null, text: "", bytes: Buffer.alloc(0), errors: "", isComplete: false })
  const limited = `ulimit -v ${mostMemory} 2>/dev/null; exec git "$@"`
  const child = spawn("/bin/sh", ["-c", limited, "git", ...args], {
    env,
    detached: true,
    stdio: ["pipe", "pipe", bounds.captureErrors ? "pipe" : "ignore"],
  })
  // A program that ends before it has read everything reports that by its exit code.
  child.stdin?.on("error", () => {})
  child.stdin?.end(bounds.input ?? "")
  return new Promise((done) => {
    const parts: Buffer[] = []
    let size = 0
    let errors = ""
    let isCut = false
    const cut = () => {
      isCut = true
      killGroup(child.pid)
      child.stdout?.destroy()
    }
    ended.addEventListener("abort", cut)
    child.stderr?.on("data", (part: Buffer) => {
      errors = (errors + part.toString("utf8")).slice(-longestErrors)
    })
    child.stdout?.on("data", (part: Buffer) => {
      parts.push(size + part.length > most ? part.subarray(0, Math.max(0, most - size)) : part)
      size += part.length
      if (size > most) cut()
    })
    const settle = (code: number | null) => {
      ended.removeEventListener("abort", cut)
      // 127: git is not installed.
      const isComplete = !isCut && code !== null && code !== 127
      const bytes = Buffer.concat(parts)
      done({ code: isComplete ? code : null, text: bytes.toString("utf8"), bytes, errors, isComplete })
    }
    child.on("error", () => settle(null))
    child.on("close", (code) => settle(code))
  })
}
