#!/usr/bin/env node
import nodeModule from "node:module"
import { messageOf, tooManyFiles } from "./base/errors.ts"
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
  process.exitCode = isHook ? await hook() : await main().catch(tellTooManyFiles)
}

/** Runs a coding agent's hook, which has to be quick: with next to nothing loaded. */
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
    // Opening it takes time that most commands need not spend.
    get stdin() {
      return process.stdin
    },
  })
}

/** Without files that may be opened, even the program's own cannot be read. */
function tellTooManyFiles(error: unknown): number {
  const told = tooManyFiles(error)
  if (told === undefined) throw error
  process.stderr.write(`reverie: ${messageOf(told)}\n`)
  return 1
}

/** The folder the command was given in; undefined if it was removed meanwhile. */
function currentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** Node 22 warns that its SQLite module is experimental; users can do nothing with that. */
function quietSqlite(): void {
  const emit = process.emitWarning.bind(process)
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!/SQLite is an experimental/.test(String(warning))) emit(warning, ...rest)
  }) as typeof process.emitWarning
}
