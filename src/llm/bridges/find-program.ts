import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join, resolve } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { withTimeout } from "../../base/with-timeout.ts"
import type { Environment } from "../../config/environment.ts"
import { programEnvironment } from "./program-environment.ts"
import { runProgram } from "./run-program.ts"

/** Whether one of the user's programs is installed, where, and its version. */
type FoundProgram = { found: true; path: string; version: string | null } | { found: false }

const versionMs = 10_000

/** Finds programs. Asks for the version only if the file has changed. */
export function createProgramFinder({ clock, env }: { clock: Clock; env: Environment }) {
  const versions = new Map<string, Promise<string | null>>()
  return {
    async find(command: string): Promise<FoundProgram> {
      const path = findInPath(command, env.variable("PATH") ?? "")
      if (path === undefined) return { found: false }
      const key = `${path}\n${statSync(path).mtimeMs}`
      const version = versions.get(key) ?? askVersion({ clock, env }, path)
      versions.set(key, version)
      return { found: true, path, version: await version }
    },
  }
}
export type ProgramFinder = ReturnType<typeof createProgramFinder>

/** The full path of a program. A command with a slash is already a path. */
export function findInPath(command: string, path: string): string | undefined {
  if (command.includes("/")) return isProgram(resolve(command)) ? resolve(command) : undefined
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, command))
    .find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

async function askVersion(
  { clock, env }: { clock: Clock; env: Environment },
  path: string,
): Promise<string | null> {
  const never = new AbortController().signal
  const ended = await withTimeout(clock, versionMs, never, (signal) =>
    runProgram(
      { clock },
      {
        command: path,
        args: ["--version"],
        env: programEnvironment(env, [], {}),
        cwd: env.temporary,
        input: "",
        signal,
      },
    ),
  )
  if (ended.outcome !== "ended" || ended.code !== 0) return null
  return /\d+\.\d+\.\d+[\w.+-]*/.exec(ended.stdout)?.[0] ?? null
}
