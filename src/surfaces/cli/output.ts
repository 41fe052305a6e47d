import { stripVTControlCharacters, styleText } from "node:util"
import { codeOf, exitCodes, messageOf } from "../../base/errors.ts"
import { columnsOf } from "../../base/text/columns.ts"
import { shorten, visible } from "../../base/text/text.ts"

type Style = Parameters<typeof styleText>[0]

/** Where a command writes: data to stdout, prose to stderr. */
export interface Output {
  /** Writes data for programs and pipes; a line end is added. */
  data(text: string): void
  /** Writes data as it is, waiting while the reader is slow. */
  raw(bytes: Uint8Array): Promise<void>
  /** Writes an answer for programs. Each says which form it has, so that they notice when that changes. */
  json<T extends { schemaVersion: number }>(value: T): void
  /** Tells the user something. */
  say(text: string): void
  /** Rewrites one line on a terminal; nothing anywhere else. */
  progress(text: string): void
  /** How many columns a line on stdout has; endless where it is no terminal. */
  readonly width: number
  /** Colours text on stdout, if that is a terminal and NO_COLOR is not set. */
  paint(style: Style, text: string): string
}

/** The output of a real command line. */
export function openOutput(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Output {
  // A reader such as `head` that has seen enough is no failure.
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

/** The colours that `paint` gives; anything else that speaks to a terminal came with a text and is spelled out. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is the character meant
const colours = /(\u001b\[\d{1,3}m)/

/** Whatever is shown: no text of a memory, a file or another program moves the cursor or asks the terminal for anything. */
function harmless(text: string, stream: NodeJS.WriteStream): string {
  if (styleText("red", "x", { stream }) === "x") return visible(text)
  return text
    .split(colours)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join("")
}

/** The same JSON with the control characters escaped that JSON itself lets through. */
function plainJson(json: string): string {
  return json.replaceAll(/[\u007f-\u009f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)
}

/** Columns padded to the widest cell; the last one is cut where the line would be too long. */
export function table(rows: string[][], width = Number.POSITIVE_INFINITY): string {
  const widths: number[] = []
  for (const row of rows) {
    // The last cell of a row is not padded, and so makes no column wider.
    row.slice(0, -1).forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length)
    })
  }
  return rows.map((row) => tableLine(row, widths, width)).join("\n")
}

/** The same, but the last column goes on below itself where a line would be too long; colours count as nothing. */
export function listed(rows: string[][], width = Number.POSITIVE_INFINITY): string {
  const plain = (text: string) => columnsOf(stripVTControlCharacters(text))
  const widths = rows.reduce<number[]>(
    (found, row) => row.map((cell, index) => Math.max(found[index] ?? 0, plain(cell))),
    [],
  )
  return rows
    .map((row) => {
      const before = row
        .slice(0, -1)
        .map((cell, index) => `${cell}${" ".repeat((widths[index] ?? 0) - plain(cell))}  `)
        .join("")
      const indent = plain(before)
      const lines = wrapped(row.at(-1) ?? "", Math.max(20, width - indent))
      return before + lines.join(`\n${" ".repeat(indent)}`)
    })
    .join("\n")
}

/** A text in lines of so many columns, broken between words; a word that is longer has a line of its own. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last === undefined || columnsOf(last) + 1 + columnsOf(word) > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function tableLine(row: string[], widths: number[], width: number): string {
  const last = row.at(-1) ?? ""
  const before = row
    .slice(0, -1)
    .map((cell, index) => `${cell.padEnd(widths[index] ?? 0)}  `)
    .join("")
  const room = Math.max(20, width - before.length)
  return before + (last.length > room ? shorten(last, room) : last)
}
