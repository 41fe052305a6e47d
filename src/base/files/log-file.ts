import { closeSync, constants, existsSync, openSync, renameSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { makePrivateFolder } from "./files.ts"

const longestBytes = 5_000_000
const filesKept = 3

/** Flags to append to a file without following symbolic links. */
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants
export const appendFlags = O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW

/** Opens a log file to append lines to. A full file is renamed to .1, .2, …; the oldest is overwritten. */
export function openLogFile(file: string): (line: string) => void {
  makePrivateFolder(dirname(file))
  let bytes = existsSync(file) ? statSync(file).size : 0
  return (line) => {
    const text = `${line}\n`
    try {
      if (bytes > 0 && bytes + text.length > longestBytes) {
        rotate(file)
        bytes = 0
      }
      append(file, text)
      bytes += text.length
    } catch {
      // A full disk must not crash the code that logs an error about it.
    }
  }
}

function append(file: string, text: string): void {
  const log = openSync(file, appendFlags, 0o600)
  try {
    writeSync(log, text)
  } finally {
    closeSync(log)
  }
}

function rotate(file: string): void {
  for (let number = filesKept - 1; number >= 1; number -= 1) {
    const from = number === 1 ? file : `${file}.${number - 1}`
    if (existsSync(from)) renameSync(from, `${file}.${number}`)
  }
}
