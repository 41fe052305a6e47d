import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

/** A terminal with the program in it. */
export interface Terminal {
  /** Presses keys, as tmux names them. */
  press(...keys: string[]): void
  resize(columns: number, lines: number): void
  /** The screen as text, once it shows this; fails with what it shows after a long while. */
  showing(what: string | RegExp): Promise<string>
  /** The screen with its colours and other attributes. */
  painted(): string
}

interface TerminalOptions {
  args: readonly string[]
  env: Record<string, string>
  cwd: string
  columns: number
  lines: number
}

/** Starts the program in a tmux of its own, which is gone after the test. */
export function openTerminal({ args, env, cwd, columns, lines }: TerminalOptions): Terminal {
  const name = `reverie-${randomBytes(6).toString("hex")}`
  const tmux = (...words: string[]) => execFileSync("tmux", ["-L", name, ...words], { encoding: "utf8" })
  const given = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`])
  const command = [program, ...args].map((word) => `'${word}'`).join(" ")
  const size = ["-x", String(columns), "-y", String(lines)]
  tmux("-f", "/dev/null", "new-session", "-d", ...size, ...given, "-c", cwd, `${command}; cat`)
  onTestFinished(() => void tmux("kill-server"))
  const capture = (...words: string[]) => tmux("capture-pane", "-p", ...words)
  return {
    press: (...keys) => void tmux("send-keys", ...keys),
    resize: (wide, high) => void tmux("resize-window", "-x", String(wide), "-y", String(high)),
    painted: () => capture("-e"),
    async showing(what) {
      for (let tries = 0; tries < 200; tries += 1) {
        const screen = capture()
        if (typeof what === "string" ? screen.includes(what) : what.test(screen)) return screen
        await wait(100)
      }
      throw new Error(`the terminal never showed ${what}:\n${capture()}`)
    },
  }
}
