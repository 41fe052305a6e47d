import { join } from "node:path"
import { PassThrough, Readable, Writable } from "node:stream"
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

/** Starts a command in this process that speaks by standard input and output; it ends when its input does. */
export function startInProcess({ args, variables, cwd }: Call) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const streams = { stdin, stdout: asTerminal(stdout), stderr: collector().stream }
  const ended = commandLine()({ args, variables, cwd, entry, ...streams }).finally(() => stdout.end())
  return { stdin, stdout, ended }
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
  return { stream: asTerminal(stream), text: () => Buffer.concat(parts).toString() }
}

/** It is none: nothing that only a terminal has is asked of it. */
function asTerminal(stream: Writable): NodeJS.WriteStream {
  return stream as unknown as NodeJS.WriteStream
}
