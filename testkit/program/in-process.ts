import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { systemClock } from "../../src/base/clock.ts"
import { systemRandom } from "../../src/base/random.ts"
import type { runCommandLine } from "../../src/command-line.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import type { Daemon, startDaemon } from "../../src/daemon.ts"
import { dist, loadBuilt } from "./built.ts"

/** What a command is called with. */
export interface Call {
  args: readonly string[]
  variables: NodeJS.ProcessEnv
  cwd: string
}

const entry = join(dist, "main.js")

/** Runs a command of the built program in this process, with an empty standard input: a start of a process less. */
export async function runInProcess({ args, variables, cwd }: Call) {
  const run = commandLine()
  const [stdout, stderr] = [collector(), collector()]
  const stdin = Readable.from([])
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream }
  const code = await run({ args, variables, cwd, entry, ...streams })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** Starts the daemon of the built program in this process; whoever starts it stops it. */
export function startDaemonInProcess(variables: NodeJS.ProcessEnv): Promise<Daemon> {
  const env = readEnvironment(variables)
  const { startDaemon: start } = loadBuilt<{ startDaemon: typeof startDaemon }>("daemon.js")
  return start({ env, paths: pathsFor(env), clock: systemClock, random: systemRandom })
}

function commandLine(): typeof runCommandLine {
  return loadBuilt<{ runCommandLine: typeof runCommandLine }>("command-line.js").runCommandLine
}

function collector(): { stream: NodeJS.WriteStream; text(): string } {
  const parts: Buffer[] = []
  const stream = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(Buffer.from(part))
      done()
    },
  })
  // No terminal: nothing that only one has is asked of it.
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => Buffer.concat(parts).toString() }
}
