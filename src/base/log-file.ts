import { appendFileSync, existsSync, renameSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { makePrivateFolder } from "./files.ts"

const longestBytes = 5_000_000
const filesKept = 3

/** Opens a log file to append lines to; a full one is set aside as .1, .2, … before the oldest goes. */
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
      appendFileSync(file, text, { mode: 0o600 })
      bytes += text.length
    } catch {
      // A full disk must not bring down whatever wanted to complain about it.
    }
  }
}

function rotate(file: string): void {
  for (let number = filesKept - 1; number >= 1; number -= 1) {
    const from = number === 1 ? file : `${file}.${number - 1}`
    if (existsSync(from)) renameSync(from, `${file}.${number}`)
  }
}
