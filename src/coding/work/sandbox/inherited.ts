import { existsSync, readdirSync, readFileSync } from "node:fs"

const bash = ["/bin/bash", "/usr/bin/bash"]
const closeOnExec = 0o2000000
/** Closes the numbers up to "--", then becomes the program. The plain shell knows only numbers of one digit. */
const closing = 'while [ "$1" != -- ]; do n=$1; shift; exec {n}>&-; done; shift; exec "$@"'

/**
 * The program to start so that it has no open file that this process was given by whoever started it: Node closes its
 * own files for others, not those. `kept` is the highest number that the program shall have.
 */
export function withoutInherited(
  program: string,
  args: readonly string[],
  kept: number,
): { program: string; args: readonly string[] } | { problem: string } {
  const given = inheritable().filter((number) => number > kept)
  if (given.length === 0) return { program, args }
  const shell = bash.find((path) => existsSync(path))
  if (shell === undefined)
    return { problem: "this process has files open that only bash could close for it." }
  return { program: shell, args: ["-c", closing, "bash", ...given.map(String), "--", program, ...args] }
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
