import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { text as readText } from "node:stream/consumers"
import { exitCodes, UserError } from "../../base/errors.ts"
import type { CliNeeds } from "./needs.ts"

type Terminal = Pick<CliNeeds, "input" | "output">

/** Asks the user questions, one after the other. */
export interface Questions {
  /** The line the user types, trimmed; undefined if the input ended or Ctrl-C was pressed. */
  ask(question?: string, options?: { isHidden?: boolean }): Promise<string | undefined>
  close(): void
}

interface CancelOptions {
  /** Aborting it cancels the question. */
  signal?: AbortSignal
  /** Called when the user presses Ctrl-C. */
  onInterrupt?(): void
}

/** Opens standard input for questions; close it, or the program does not end. */
export function openQuestions(
  { input, output }: Terminal,
  { signal, onInterrupt }: CancelOptions = {},
): Questions {
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
      // Not earlier: the terminal would still echo what is typed.
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

/** Asks one question. */
export async function askOnce(
  needs: Terminal,
  question?: string,
  ends?: CancelOptions,
): Promise<string | undefined> {
  const questions = openQuestions(needs, ends)
  try {
    return await questions.ask(question)
  } finally {
    questions.close()
  }
}

interface Secret {
  /** Instructions to print first. */
  lead?: string
  /** What to call it in the question, such as "key", and whose it is. */
  name: string
  of: string
  /** The option that reads it from standard input, and whether it is set. */
  option: string
  isPiped: boolean | undefined
}

/** Reads a secret from a pipe, or asks for it without showing it; trimmed. Undefined if the user cancels. */
export async function readSecret(
  needs: Terminal,
  { lead, name, of, option, isPiped }: Secret,
  ends?: CancelOptions,
): Promise<string | undefined> {
  if (isPiped) return (await readText(needs.input)).trim()
  if (!needs.input.isTTY)
    throw new UserError("usage", `There is no terminal to type a ${name} on; pipe it in and give ${option}.`)
  if (lead !== undefined) needs.output.say(lead)
  const questions = openQuestions(needs, ends)
  try {
    return await questions.ask(`Paste the ${name}${of} (it stays hidden) and press Enter:`, {
      isHidden: true,
    })
  } finally {
    questions.close()
  }
}

/** Asks a yes-or-no question. */
export async function isConfirmed(needs: Terminal, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await askOnce(needs, `${question} Type yes:`)) ?? "")
}

/** Reports that the user pressed Ctrl-C, or that the input ended. */
export function reportCancelled(needs: Pick<CliNeeds, "output" | "setExitCode">): void {
  needs.output.say("\nCancelled; nothing was changed.")
  needs.setExitCode(exitCodes.interrupted)
}
