import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import type { Input } from "./needs.ts"

interface Asking {
  input: Input
  /** Aborting it ends the waiting. */
  signal: AbortSignal
  /** Called when the user presses Ctrl-C. */
  onInterrupt(): void
  /** What is typed does not appear; needs a terminal. */
  hidden?: boolean
  /** Puts the question. It comes when the terminal no longer shows what is typed, not before. */
  question?(): void
}

/** Reads one line from standard input; undefined if it ends, or the waiting does, before one came. */
export function askLine({
  input,
  signal,
  onInterrupt,
  question,
  hidden = false,
}: Asking): Promise<string | undefined> {
  const isTerminal = input.isTTY === true
  const output = hidden ? nowhere() : process.stderr
  const lines = createInterface({ input, output, terminal: isTerminal, historySize: 0 })
  return new Promise<string | undefined>((resolve) => {
    const end = () => resolve(undefined)
    signal.addEventListener("abort", end, { once: true })
    if (signal.aborted) end()
    lines.once("line", resolve)
    lines.once("close", end)
    lines.on("SIGINT", onInterrupt)
    question?.()
  }).finally(() => {
    lines.close()
    // Otherwise a terminal or pipe that stays open keeps the program alive.
    input.destroy()
  })
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
