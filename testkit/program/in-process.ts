import { createRequire, enableCompileCache } from "node:module"
import { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import type { runCommandLine } from "../../src/command-line.ts"

/** What a command is called with. */
export interface Call {
  args: readonly string[]
  variables: NodeJS.ProcessEnv
  cwd: string
}

const entry = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

/** Runs a command of the built program in this process, with an empty standard input: a start of a process less. */
export async function runInProcess({ args, variables, cwd }: Call) {
  const run = commandLine()
  const [stdout, stderr] = [collector(), collector()]
  const stdin = Readable.from([])
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream }
  const code = await run({ args, variables, cwd, entry, ...streams })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** The bundle as Node itself loads it, not as the test runner would: the code that is shipped. */
function commandLine(): typeof runCommandLine {
  enableCompileCache()
  return createRequire(import.meta.url)("../../dist/command-line.js").runCommandLine
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
