import {
  chmodSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { codeOf, UserError } from "../../base/errors.ts"
import { fileError, makeFolders } from "../../base/files/files.ts"

/** The text of another tool's file; undefined if it does not exist. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined
    if (codeOf(error) === "EISDIR")
      throw new UserError("failed", `${file} is a folder, not a file; move it away.`, { cause: error })
    throw new UserError("failed", `${file} cannot be read; fix its permissions.`, { cause: error })
  }
}

/**
 * Writes another tool's file completely or not at all, keeping its permissions and a link to it. Returns the topmost
 * folder that had to be created, if any.
 */
export function writeText(file: string, text: string, newFileMode = 0o600): string | undefined {
  const real = existsSync(file) ? realpathSync(file) : file
  const temporary = `${real}.${process.pid}.tmp`
  try {
    const made = makeFolders(dirname(real))
    const mode = existsSync(real) ? statSync(real).mode & 0o777 : newFileMode
    writeFileSync(temporary, text, { mode, flush: true })
    chmodSync(temporary, mode)
    renameSync(temporary, real)
    return made
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileError(error, file)
  }
}

/** Removes a file, and the folders up to `madeFolder` that are then empty. */
export function removeFile(file: string, madeFolder: string | null): void {
  rmSync(file, { force: true })
  if (madeFolder === null) return
  for (let folder = dirname(file); folder.startsWith(madeFolder); folder = dirname(folder)) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}
