import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import type { Input } from "./needs.ts"
import type { Output } from "./output.ts"

/** Questions on a terminal, one after the other. */
export interface Questions {
  /** The line that is typed, trimmed; undefined if the input ended or Ctrl-C was pressed. */
  ask(question: string, options?: { isHidden?: boolean }): Promise<string | undefined>
  close(): void
}

/** Opens the terminal for questions; close it, or the program does not end. */
export function openQuestions(input: Input, output: Output): Questions {
  let isHidden = false
  let isOver = false
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input, output: echo, terminal: true, historySize: 0 })
  let answer: (line: string | undefined) => void = () => undefined
  const end = () => {
    isOver = true
    answer(undefined)
  }
  lines.on("line", (line) => answer(line.trim()))
  lines.once("close", end)
  lines.once("SIGINT", () => {
    end()
    lines.close()
  })
  return {
    async ask(question, options = {}) {
      if (isOver) return undefined
      output.say(question)
      isHidden = options.isHidden ?? false
      const line = await new Promise<string | undefined>((resolve) => {
        answer = resolve
      })
      isHidden = false
      return line
    },
    close() {
      lines.close()
      input.destroy()
    },
  }
}
