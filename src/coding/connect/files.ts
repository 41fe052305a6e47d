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

/** The text of a file of another tool's; undefined where there is none. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined
    throw new UserError("failed", `${file} cannot be read; mend its permissions.`, { cause: error })
  }
}

/**
 * Writes a file of another tool's whole or not at all. It keeps its permissions, and a link to it stays a link. Gives
 * the topmost folder that had to be made, if any.
 */
export function writeText(file: string, text: string, freshMode = 0o600): string | undefined {
  const real = existsSync(file) ? realpathSync(file) : file
  const temporary = `${real}.${process.pid}.tmp`
  try {
    const made = makeFolders(dirname(real))
    const mode = existsSync(real) ? statSync(real).mode & 0o777 : freshMode
    writeFileSync(temporary, text, { mode, flush: true })
    chmodSync(temporary, mode)
    renameSync(temporary, real)
    return made
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileError(error, file)
  }
}

/** Removes a file, and the folders that were made for it as far as nothing else is in them. */
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
