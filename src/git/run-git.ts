import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { gitEnvironment } from "../config/environment.ts"

/** What git answered. */
export interface GitAnswer {
  /** Its exit code; null where it was ended early or could not be started. */
  code: number | null
  /** What it wrote, as far as it came. */
  text: string
  /** The same as it came, for what is no text. */
  bytes: Buffer
  /** What it said was wrong, where that was asked for. */
  errors: string
  /** Whether it came to its end by itself, within its time and its size. */
  isWhole: boolean
}

export interface GitBounds {
  timeoutMs?: number
  mostBytes?: number
  signal?: AbortSignal | undefined
  /** What it reads from standard input. */
  input?: string | Buffer
  /** Whether what it says is wrong is kept. */
  keepErrors?: boolean
}

const timeoutMs = 10_000
/** What is asked for one line is in the configuration or a reference, and comes at once. */
const shortMs = 4000
const mostBytes = 16 * 1024 * 1024
const longestErrors = 4000
/** Memory that git may take, in kB: a small pack can hold files of gigabytes. */
const mostMemory = 4 * 1024 * 1024

/**
 * The only commands of git that are run: all of them read. With each stand the options that keep it from starting a
 * program which the repository names, or from saying things in the way the repository wants.
 */
const commands = {
  blame: ["--no-textconv", "--no-progress"],
  "cat-file": [],
  config: [],
  "diff-tree": ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short"],
  "for-each-ref": [],
  grep: ["--no-color", "--no-textconv", "--no-line-number", "--no-column", "--no-recurse-submodules"],
  log: showing(),
  "ls-files": [],
  "ls-tree": [],
  remote: [],
  "rev-parse": [],
  show: showing(),
  "symbolic-ref": [],
} as const satisfies Record<string, readonly string[]>

function showing(): string[] {
  return [
    ...["--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color", "--no-mailmap", "--no-notes"],
    // Any other way has git start git in the submodule, with what that one's configuration says.
    "--submodule=short",
  ]
}

type GitCommand = keyof typeof commands

/** What wins over a repository's configuration where that could name a program, a file to wait for, or the network. */
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

const alwaysGiven = [
  "--no-pager",
  "--no-optional-locks",
  ...Object.entries(safeSettings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
]

/**
 * Asks git about a work tree, whose top folder is given: read-only, without network, within time, size and memory.
 * No program that the repository names is started. Failing is an answer too.
 */
export function runGit(
  root: string,
  command: GitCommand,
  args: readonly string[],
  bounds: GitBounds = {},
): Promise<GitAnswer> {
  const all = ["-C", root, ...alwaysGiven, command, ...commands[command], ...args]
  return start(all, environmentAt(root), bounds)
}

/** One line of an answer, or undefined where git has none. */
export async function askGit(
  root: string,
  command: GitCommand,
  ...args: string[]
): Promise<string | undefined> {
  const { code, text } = await runGit(root, command, args, { timeoutMs: shortMs })
  const line = text.trim()
  return code === 0 && line !== "" ? line : undefined
}

/** What git calls itself, such as "git version 2.53.0"; undefined where it is not installed. */
export async function gitVersion(): Promise<string | undefined> {
  const { code, text } = await start(["--version"], environmentAt("/"), {})
  return code === 0 ? text.trim() : undefined
}

function environmentAt(root: string): NodeJS.ProcessEnv {
  return {
    ...gitEnvironment(),
    // The repository does not say where its files are, and a folder above is not asked instead.
    GIT_WORK_TREE: root,
    GIT_CEILING_DIRECTORIES: dirname(root),
    ...safeVariables(),
  }
}

/** What keeps git from the network, from asking and from programs, in variables that win over every configuration. */
export function safeVariables(): NodeJS.ProcessEnv {
  return {
    // A clone without all of its objects would fetch the missing ones. Old versions of git do not know the first.
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

/** Starts git in a process group of its own, so that nothing it started outlives its time. Only `src/git` calls it. */
export function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  bounds: GitBounds,
): Promise<GitAnswer> {
  const most = bounds.mostBytes ?? mostBytes
  const limits = [
    AbortSignal.timeout(bounds.timeoutMs ?? timeoutMs),
    ...(bounds.signal ? [bounds.signal] : []),
  ]
  const ended = AbortSignal.any(limits)
  // No path has a zero in it, and no program can be given one.
  if (ended.aborted || args.some((one) => one.includes("\0")))
    return Promise.resolve({ code: null, text: "", bytes: Buffer.alloc(0), errors: "", isWhole: false })
  const limited = `ulimit -v ${mostMemory} 2>/dev/null; exec git "$@"`
  const child = spawn("/bin/sh", ["-c", limited, "git", ...args], {
    env,
    detached: true,
    stdio: ["pipe", "pipe", bounds.keepErrors ? "pipe" : "ignore"],
  })
  // Whoever ended before reading all of it says so by its exit code.
  child.stdin?.on("error", () => {})
  child.stdin?.end(bounds.input ?? "")
  return new Promise((done) => {
    const parts: Buffer[] = []
    let size = 0
    let errors = ""
    let isCut = false
    const cut = () => {
      isCut = true
      endGroup(child.pid)
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
      // 127: there is no git.
      const isWhole = !isCut && code !== null && code !== 127
      const bytes = Buffer.concat(parts)
      done({ code: isWhole ? code : null, text: bytes.toString("utf8"), bytes, errors, isWhole })
    }
    child.on("error", () => settle(null))
    child.on("close", (code) => settle(code))
  })
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended meanwhile.
  }
}
