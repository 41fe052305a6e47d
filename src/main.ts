#!/usr/bin/env node
import nodeModule from "node:module"
import { messageOf, tooManyFiles } from "./base/errors.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`reverie: Node ${process.versions.node} is too old; install Node 22.13 or newer.\n`)
  process.exit(1)
}
quietSqlite()
nodeModule.enableCompileCache()
const isHook = process.argv[2] === "hook" && !process.argv.some((word) => /^(-h|--help)$/.test(word))
process.exitCode = isHook ? await hook() : await main().catch(tellTooManyFiles)

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

/** Fills in the real world and runs the command line. */
async function main(): Promise<number> {
  const { systemClock: clock } = await import("./base/clock.ts")
  const { systemRandom: random } = await import("./base/random.ts")
  const { readEnvironment } = await import("./config/environment.ts")
  const { pathsFor } = await import("./config/paths.ts")
  const { connect } = await import("./surfaces/connect.ts")
  const { runCli } = await import("./surfaces/cli/cli.ts")
  const { openOutput } = await import("./surfaces/cli/output.ts")
  const { downloadBar } = await import("./surfaces/cli/view/download-bar.ts")
  const env = readEnvironment()
  const paths = pathsFor(env)
  const world = { env, paths, clock, random }
  // The product itself is loaded only when no daemon answers, so that commands stay quick.
  const output = openOutput(process.stdout, process.stderr)
  const openLocal = async () => (await import("./daemon.ts")).openLocal(world, downloadBar(output))
  return runCli(process.argv.slice(2), {
    ...world,
    output,
    cwd: currentFolder() ?? env.userHome,
    entry: process.argv[1] ?? "",
    connect: (actor = "cli", session?: string) =>
      connect({
        socket: paths.socket,
        random,
        actor,
        session,
        databaseUrl: env.databaseUrl,
        openLocal,
        onNotice: (text) => output.say(text),
      }),
    openLocal,
    openDatabase: async (options) => (await import("./daemon.ts")).openDatabaseOnly(world, options),
    startDaemon: async () => (await import("./daemon.ts")).startDaemon(world),
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
