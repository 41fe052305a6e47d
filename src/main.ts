#!/usr/bin/env node
import nodeModule from "node:module"
import { messageOf, tooManyFilesError } from "./base/errors.ts"
import { version } from "./base/version.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`reverie: Node ${process.versions.node} is too old; install Node 22.13 or newer.\n`)
  process.exit(1)
}
quietSqlite()
nodeModule.enableCompileCache()
const isHook = process.argv[2] === "hook" && !process.argv.some((word) => /^(-h|--help)$/.test(word))
if (process.argv.length === 3 && /^(-V|--version)$/.test(process.argv[2] ?? "")) {
  process.stdout.write(`${version}\n`)
} else {
  process.exitCode = isHook ? await hook() : await main().catch(reportTooManyFiles)
}

/** Runs a coding agent's hook and loads as little as possible, because hooks must be fast. */
async function hook(): Promise<number> {
  const { readEnvironment } = await import("./config/environment.ts")
  const { pathsFor } = await import("./config/paths.ts")
  const { runHook } = await import("./surfaces/run-hook.ts")
  const [, , , tool = "", event = ""] = process.argv
  const env = readEnvironment()
  await runHook({ socket: pathsFor(env).socket, tool, event, seconds: env.variable("REVERIE_HOOK_SECONDS") })
  return 0
}

/** Runs the command line of this process. */
async function main(): Promise<number> {
  const { runCommandLine } = await import("./command-line.ts")
  const { argv, env: variables, stdout, stderr } = process
  const [, entry = "", ...args] = argv
  return runCommandLine({
    ...{ args, variables, stdout, stderr, entry },
    cwd: currentFolder(),
    // Opened on demand because it takes time.
    get stdin() {
      return process.stdin
    },
  })
}

/** At the limit of open files, even the program's own modules fail to load. */
function reportTooManyFiles(error: unknown): number {
  const limitError = tooManyFilesError(error)
  if (limitError === undefined) throw error
  process.stderr.write(`reverie: ${messageOf(limitError)}\n`)
  return 1
}

/** The current folder; undefined if it was deleted. */
function currentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** Suppresses the warning of Node 22 that its SQLite module is experimental. */
function quietSqlite(): void {
  const emit = process.emitWarning.bind(process)
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!/SQLite is an experimental/.test(String(warning))) emit(warning, ...rest)
  }) as typeof process.emitWarning
}
