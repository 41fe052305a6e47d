import type { Input } from "./surfaces/cli/needs.ts"

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
  const { systemClock: clock } = await import("./base/clock.ts")
  const { systemRandom: random } = await import("./base/random.ts")
  const { readEnvironment } = await import("./config/environment.ts")
  const { pathsFor } = await import("./config/paths.ts")
  const { connect } = await import("./surfaces/connect.ts")
  const { runCli } = await import("./surfaces/cli/cli.ts")
  const { openOutput } = await import("./surfaces/cli/output.ts")
  const { downloadBar } = await import("./surfaces/cli/view/download-bar.ts")
  const env = readEnvironment(line.variables)
  const paths = pathsFor(env)
  const world = { env, paths, clock, random }
  // The product itself is loaded only when no daemon answers, so that commands stay quick.
  const output = openOutput(line.stdout, line.stderr)
  const openLocal = async () => (await import("./daemon.ts")).openLocal(world, downloadBar(output))
  return runCli(line.args, {
    ...world,
    output,
    input: line.stdin,
    cwd: line.cwd ?? env.userHome,
    entry: line.entry,
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
    startDaemon: async () => (await import("./daemon.ts")).startDaemon({ ...world, entry: line.entry }),
  })
}
