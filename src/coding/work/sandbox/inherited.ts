import { existsSync, readdirSync, readFileSync } from "node:fs"

const bash = ["/bin/bash", "/usr/bin/bash"]
const closeOnExec = 0o2000000
/** Closes the descriptors up to "--", then becomes the program. A plain POSIX shell closes only one-digit ones. */
const closing = 'while [ "$1" != -- ]; do n=$1; shift; exec {n}>&-; done; shift; exec "$@"'

/**
 * The command that starts a program without the open files that this process inherited: Node closes only its own files
 * for child processes. `kept` is the highest descriptor that the program gets.
 */
export function withoutInherited(
  program: string,
  args: readonly string[],
  kept: number,
): { program: string; args: readonly string[] } | { problem: string } {
  const inherited = inheritable().filter((number) => number > kept)
  if (inherited.length === 0) return { program, args }
  const shell = bash.find((path) => existsSync(path))
  if (shell === undefined)
    return {
      problem: "this process inherited open files, and bash, which could close them, is not installed.",
    }
  return { program: shell, args: ["-c", closing, "bash", ...inherited.map(String), "--", program, ...args] }
}

function inheritable(): number[] {
  try {
    return readdirSync("/proc/self/fdinfo").map(Number).filter(isInheritable)
  } catch {
    return []
  }
}

function isInheritable(number: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${number}`, "utf8")
    const flags = Number.parseInt(/^flags:\s+([0-7]+)/m.exec(info)?.[1] ?? "0", 8)
    return (flags & closeOnExec) === 0
  } catch {
    return false
  }
}
