import { systemClock as clock } from "./base/clock.ts"
import { systemRandom as random } from "./base/random.ts"
import { readEnvironment } from "./config/environment.ts"
import { pathsFor } from "./config/paths.ts"
import { runCli } from "./surfaces/cli/cli.ts"
import type { CliNeeds } from "./surfaces/cli/needs.ts"
import { openOutput } from "./surfaces/cli/output.ts"
import { downloadBar } from "./surfaces/cli/view/progress-meter.ts"
import { connect } from "./surfaces/connect.ts"

/** The input of one command line. Two command lines in one process share nothing. */
export interface CommandLine {
  /** The arguments after the program's name. */
  args: readonly string[]
  variables: NodeJS.ProcessEnv
  stdin: CliNeeds["input"]
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** The current folder; undefined if it was deleted. */
  cwd: string | undefined
  /** The program's own file, to start a daemon with. */
  entry: string
}

/** Runs one command on this machine and returns its exit code. */
export async function runCommandLine(line: CommandLine): Promise<number> {
  const env = readEnvironment(line.variables)
  const paths = pathsFor(env)
  const host = { env, paths, clock, random }
  // The product itself is loaded only if no daemon answers, so that commands start fast.
  const output = openOutput(line.stdout, line.stderr)
  const openLocal = async () => (await import("./local.ts")).openLocal(host, downloadBar({ output, clock }))
  return runCli(line.args, {
    ...host,
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
    openDatabase: async (options) => (await import("./local.ts")).openDatabaseOnly(host, options),
    startDaemon: async () => (await import("./daemon.ts")).startDaemon({ ...host, entry: line.entry }),
  })
}
