import { execFile } from "node:child_process"
import { gitEnvironment } from "../../config/environment.ts"

/** What git answered. */
export interface GitAnswer {
  /** Its exit code; null where it was ended early or could not be started. */
  code: number | null
  /** What it wrote, as far as it came. */
  text: string
  /** Whether it came to its end by itself, within its time and its size. */
  isWhole: boolean
}

const timeoutMs = 10_000
const mostBytes = 16 * 1024 * 1024

/** What keeps git from starting programs that a repository's configuration names, from waiting, and from the network. */
const harmless = [
  "--no-pager",
  "--no-optional-locks",
  ...["-c", "core.fsmonitor=false"],
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "log.showSignature=false"],
  ...["-c", "core.quotePath=false"],
  // A clone without all of its objects would fetch the missing ones.
  ...["-c", "protocol.allow=never"],
]

/** Asks git about a folder: read-only, without a shell, within bounds. Failing is an answer too. */
export function runGit(
  folder: string,
  args: readonly string[],
  bounds: { timeoutMs?: number; mostBytes?: number; signal?: AbortSignal | undefined } = {},
): Promise<GitAnswer> {
  const options = {
    timeout: bounds.timeoutMs ?? timeoutMs,
    maxBuffer: bounds.mostBytes ?? mostBytes,
    env: { ...gitEnvironment(), GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    ...(bounds.signal ? { signal: bounds.signal } : {}),
  }
  return new Promise((done) => {
    execFile("git", ["-C", folder, ...harmless, ...args], options, (error, stdout) => {
      if (error === null) return done({ code: 0, text: stdout, isWhole: true })
      const code = typeof error.code === "number" ? error.code : null
      done({ code, text: stdout, isWhole: code !== null })
    })
  })
}

/** One line of an answer, or undefined where git has none. */
export async function askGit(folder: string, ...args: string[]): Promise<string | undefined> {
  const { code, text } = await runGit(folder, args)
  const line = text.trim()
  return code === 0 && line !== "" ? line : undefined
}
