import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { codeOf, UserError } from "./errors.ts"

/** Makes a folder that only its owner may enter, with its parents. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    // Node reports a read-only disk as ENOENT when it makes parents too.
    throw fileError(codeOf(error) === "ENOENT" ? readOnly(folder, error) : error, folder)
  }
}

/** Writes a file whole or not at all, readable by its owner only. */
export function writeAtomically(file: string, text: string): void {
  makePrivateFolder(dirname(file))
  const temporary = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, text, { mode: 0o600 })
    chmodSync(temporary, 0o600)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileError(error, file)
  }
}

/** What the file system refused, as one sentence a user can act on; anything else passes unchanged. */
export function fileError(error: unknown, path: string): unknown {
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return readOnly(path, error)
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(path, error)
    case "ENOTDIR":
    case "EEXIST":
      return new UserError(
        "storage",
        `${path} cannot be made because a file stands in its way; move that file.`,
        {
          cause: error,
        },
      )
    default:
      return error
  }
}

/** The sentence for a place that cannot be written. */
export function readOnly(path: string, cause: unknown): UserError {
  const advice = "mend that, or set REVERIE_HOME or storage.url to another place."
  return new UserError(
    "storage",
    `${path} cannot be written: it, its folder or its disk is read-only; ${advice}`,
    {
      cause,
    },
  )
}

/** The sentence for a disk without room. */
export function diskFull(path: string, cause: unknown): UserError {
  const advice = "nothing was changed. Free some space and try again."
  return new UserError("storage", `The disk of ${path} is full; ${advice}`, { cause })
}
