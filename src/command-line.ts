import { systemClock as clock } from "./base/clock.ts"
import { systemRandom as random } from "./base/random.ts"
import { readEnvironment } from "./config/environment.ts"
import { pathsFor } from "./config/paths.ts"
import { runCli } from "./surfaces/cli/cli.ts"
import type { Input } from "./surfaces/cli/needs.ts"
import { openOutput } from "./surfaces/cli/output.ts"
import { downloadBar } from "./surfaces/cli/view/download-bar.ts"
import { connect } from "./surfaces/connect.ts"

/** What a command line gets from the process it runs in; two of them in one process share nothing. */
export interface CommandLine {
  /** What follows the program's name. */
  args: readonly string[]
  variables: NodeJS.ProcessEnv
  stdin: Input
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** The folder the command was given in; undefined if it was removed meanwhile. */
  cwd: string | undefined
  /** The file that was run, to start a daemon with. */
  entry: string
}

/** Fills in the real world, runs one command and returns its exit code. */
export async function runCommandLine(line: CommandLine): Promise<number> {
  const env = readEnvironment(line.variables)
  const paths = pathsFor(env)
  const world = { env, paths, clock, random }
  // The product itself is loaded only when no daemon answers, so that commands stay quick.
  const output = openOutput(line.stdout, line.stderr)
  const openLocal = async () => (await import("./local.ts")).openLocal(world, downloadBar({ output, clock }))
  return runCli(line.args, {
    ...world,
    output,
    get input() {
      return line.stdin
    },
    cwd: line.cwd ?? env.userHome,
    entry: line.entry,
    connect: (actor = "cli", session?: string) =>
      connect({
        socket: paths.socket,
        clock,
        random,
        actor,
        session,
        databaseUrl: env.databaseUrl,
        openLocal,
        onNotice: (text) => output.say(text),
      }),
    openLocal,
    openDatabase: async (options) => (await import("./local.ts")).openDatabaseOnly(world, options),
    startDaemon: async () => (await import("./daemon.ts")).startDaemon({ ...world, entry: line.entry }),
  })
}
