import { dirname } from "node:path"
import { isWithin } from "../../../base/files/read-bounded.ts"
import { sandboxEnvironment } from "../../../config/environment.ts"
import type { SandboxLimits, SandboxRequest } from "./sandbox.ts"

/** The home folder in the sandbox; it is deleted with the command. */
export const insideHome = "/tmp/home"

/** The whole environment of a command. Of the user's own it has only PATH and the language. */
export function insideEnvironment(readable: readonly string[]): Record<string, string> {
  const { path, language, home } = sandboxEnvironment()
  const isSeen = (folder: string) => ["/usr", "/bin", ...readable].some((one) => isWithin(one, folder))
  const node = dirname(process.execPath)
  const programs = [...path, node, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"].filter(isSeen)
  return {
    PATH: [...new Set(programs)].join(":"),
    HOME: insideHome,
    TMPDIR: "/tmp",
    USER: "sandbox",
    LOGNAME: "sandbox",
    SHELL: "/bin/sh",
    LANG: language,
    TERM: "dumb",
    NO_COLOR: "1",
    CI: "true",
    // There is no network: package managers must fail at once.
    npm_config_offline: "true",
    CARGO_NET_OFFLINE: "true",
    GOPROXY: "off",
    GOFLAGS: "-mod=readonly",
    GOMODCACHE: `${home}/go/pkg/mod`,
    RUSTUP_HOME: `${home}/.rustup`,
    PIP_NO_INDEX: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    // As root, the worktree has another owner than the repository.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: "*",
  }
}

/** Printed on standard error once the sandbox is set up, and the answer that starts the command. */
export const readyWord = "reverie-sandbox-ready"
export const goWord = "go"

/**
 * Waits for the go word, because our process may have died before it could stop the command. Then sets the limits that
 * the system has for each process, keeps stricter ones, and becomes the command. Standard error joins standard output,
 * so that both stay in order.
 */
const limiting = `
echo ${readyWord} >&2; read -r word; [ "$word" = ${goWord} ] || exit 125
exec </dev/null 2>&1
limit() { ulimit "$1" "$2" 2>/dev/null || [ "$(ulimit "$1")" != unlimited ] || { echo "limits cannot be set"; exit 125; }; }
limit -c 0; limit -d "$1"; limit -f "$2"; limit -t "$3"; limit -n 4096
ulimit -u "$4" 2>/dev/null || ulimit -p "$4" 2>/dev/null || { echo "limits cannot be set"; exit 125; }
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
cd "$5" || exit 125
shift 5
exec nice -n 10 "$@"`

/** The command with the script that sets its limits, for /bin/sh in the sandbox. */
export function limitedCommand(
  { command, timeoutMs, view }: SandboxRequest,
  { memoryMb, diskMb, processes }: SandboxLimits,
): string[] {
  const wanted = typeof command === "string" ? ["/bin/sh", "-c", command] : command
  const kilobytes = memoryMb * 1024
  const blocks = diskMb * 2048
  const seconds = Math.max(1, Math.ceil(timeoutMs / 1000))
  const numbers = [kilobytes, blocks, seconds, processes].map(String)
  return ["/bin/sh", "-c", limiting, "sh", ...numbers, view.root, ...wanted]
}
