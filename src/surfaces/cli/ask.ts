import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { exitCodes, UserError } from "../../base/errors.ts"
import type { CliNeeds } from "./needs.ts"

type AskNeeds = Pick<CliNeeds, "input" | "output">

/** Questions to whoever types, one after the other. */
export interface Questions {
  /** The line that is typed, trimmed; undefined if the input ended or Ctrl-C was pressed. */
  ask(question?: string, options?: { isHidden?: boolean }): Promise<string | undefined>
  close(): void
}

interface Ends {
  /** Aborting it ends the waiting. */
  signal?: AbortSignal
  /** Called when the user presses Ctrl-C. */
  onInterrupt?(): void
}

/** Opens standard input for questions; close it, or the program does not end. */
export function openQuestions({ input, output }: AskNeeds, { signal, onInterrupt }: Ends = {}): Questions {
  let isHidden = false
  let isOver = false
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input, output: echo, terminal: input.isTTY === true, historySize: 0 })
  let answer: (line: string | undefined) => void = () => undefined
  const end = () => {
    isOver = true
    answer(undefined)
  }
  lines.on("line", (line) => answer(line.trim()))
  lines.once("close", end)
  lines.once("SIGINT", () => {
    onInterrupt?.()
    end()
    lines.close()
  })
  signal?.addEventListener("abort", end, { once: true })
  if (signal?.aborted) end()
  return {
    async ask(question, options = {}) {
      if (isOver) return undefined
      // It comes when the terminal no longer shows what is typed by itself, not before.
      if (question !== undefined) output.say(question)
      isHidden = options.isHidden ?? false
      const line = await new Promise<string | undefined>((resolve) => {
        answer = resolve
      })
      isHidden = false
      return line
    },
    close() {
      lines.close()
      // Otherwise a terminal or pipe that stays open keeps the program alive.
      input.destroy()
    },
  }
}

/** Asks one thing. */
export async function askOnce(needs: AskNeeds, question?: string, ends?: Ends): Promise<string | undefined> {
  const questions = openQuestions(needs, ends)
  try {
    return await questions.ask(question)
  } finally {
    questions.close()
  }
}

interface Secret {
  /** What to know first. */
  lead?: string
  /** What it is called, and whose it is. */
  name: string
  of: string
  /** The option that reads it from a pipe. */
  option: string
}

/** Asks on a terminal for a secret, which is not shown; undefined if it was called off. */
export async function askSecret(
  needs: AskNeeds,
  { lead, name, of, option }: Secret,
  ends?: Ends,
): Promise<string | undefined> {
  if (!needs.input.isTTY)
    throw new UserError("usage", `There is no terminal to type a ${name} at; pipe it in and give ${option}.`)
  if (lead !== undefined) needs.output.say(lead)
  const questions = openQuestions(needs, ends)
  try {
    return await questions.ask(`Paste the ${name}${of} (it is not shown) and press Enter:`, {
      isHidden: true,
    })
  } finally {
    questions.close()
  }
}

/** Asks for a yes. */
export async function isConfirmed(needs: AskNeeds, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askOnce(needs, `${question} Type yes:`)) ?? "")
}

/** The user pressed Ctrl-C, or the input ended. */
export function callOff(needs: Pick<CliNeeds, "output" | "setExitCode">): void {
  needs.output.say("\nCancelled; nothing was changed.")
  needs.setExitCode(exitCodes.interrupted)
}
