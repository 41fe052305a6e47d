import { stripVTControlCharacters, styleText } from "node:util"
import { codeOf, exitCodes, messageOf } from "../../base/errors.ts"
import { columnsOf, wrapWords } from "../../base/text/columns.ts"
import { escapeControls, shorten } from "../../base/text/text.ts"

type Style = Parameters<typeof styleText>[0]

/** Where a command writes: data to stdout, prose to stderr. */
export interface Output {
  /** Writes data for programs and pipes; a line end is added. */
  data(text: string): void
  /** Writes data as it is, waiting while the reader is slow. */
  raw(bytes: Uint8Array): Promise<void>
  /** Writes an answer for programs. */
  json<T extends { schemaVersion: number }>(value: T): void
  /** Writes a message for the user. */
  say(text: string): void
  /** Rewrites one line on a terminal; does nothing elsewhere. */
  progress(text: string): void
  /** Columns of a line on stdout; infinite if it is not a terminal. */
  readonly width: number
  /** Colours text on stdout, if that is a terminal and NO_COLOR is not set. */
  paint(style: Style, text: string): string
}

/** The output of a real command line. */
export function openOutput(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Output {
  // A reader such as `head` that closes the pipe early is not a failure.
  stdout.on("error", (error) => {
    if (codeOf(error) === "EPIPE") process.exit(exitCodes.done)
    stderr.write(`reverie: The output cannot be written: ${messageOf(error)}.\n`)
    process.exit(exitCodes.failed)
  })
  let hasProgress = false
  const clear = () => {
    if (hasProgress) stderr.write("\r\u001b[2K")
    hasProgress = false
  }
  return {
    data(text) {
      clear()
      stdout.write(`${harmless(text, stdout)}\n`)
    },
    raw(bytes) {
      return new Promise((resolve, reject) =>
        stdout.write(bytes, (error) => (error ? reject(error) : resolve())),
      )
    },
    json(value) {
      clear()
      stdout.write(`${plainJson(JSON.stringify(value, null, stdout.isTTY ? 2 : undefined))}\n`)
    },
    say(text) {
      clear()
      stderr.write(`${harmless(text, stderr)}\n`)
    },
    progress(text) {
      if (!stderr.isTTY) return
      stderr.write(`\r\u001b[2K${text}`)
      hasProgress = text !== ""
    },
    width: stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY,
    paint: (style, text) => styleText(style, text, { stream: stdout }),
  }
}

/** The colours that `paint` writes. Other control characters come from texts and are made visible. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is the escape character
const colours = /(\u001b\[\d{1,3}m)/

/** Keeps texts of memories, files and other programs from controlling the terminal. */
function harmless(text: string, stream: NodeJS.WriteStream): string {
  if (styleText("red", "x", { stream }) === "x") return escapeControls(text)
  return text
    .split(colours)
    .map((part, index) => (index % 2 === 1 ? part : escapeControls(part)))
    .join("")
}

/** Escapes the control characters that JSON allows. */
function plainJson(json: string): string {
  return json.replaceAll(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)
}

/** Columns padded to their widest cell. A last cell that is too long for the line is cut, or wrapped below itself. */
export function table(
  rows: string[][],
  width = Number.POSITIVE_INFINITY,
  overflow = "cut" as "cut" | "wrap",
) {
  // Colours take no columns.
  const columns = (text: string) => columnsOf(stripVTControlCharacters(text))
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.slice(0, -1).entries())
      widths[index] = Math.max(widths[index] ?? 0, columns(cell))
  const lines = rows.map((row) => {
    const padded = row
      .slice(0, -1)
      .map((cell, index) => `${cell}${" ".repeat((widths[index] ?? 0) - columns(cell))}  `)
    const before = padded.join("")
    const last = row.at(-1) ?? ""
    const room = Math.max(20, width - columns(before))
    if (overflow === "wrap") return before + wrapWords(last, room).join(`\n${" ".repeat(columns(before))}`)
    return before + (last.length > room ? shorten(last, room) : last)
  })
  return lines.join("\n")
}
