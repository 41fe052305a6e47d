import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf, tooManyFilesError, UserError } from "../errors.ts"
import { isOwnFolder } from "./own-socket.ts"

/** The path without links; undefined if it does not exist. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** Creates a folder that only its owner may enter, with its parents. */
export function makePrivateFolder(folder: string): void {
  try {
    makeFolders(folder, 0o700)
  } catch (error) {
    // Where no folder can be created, such as in /proc, the error is ENOENT.
    throw fileError(codeOf(error) === "ENOENT" ? readOnlyError(folder, error) : error, folder)
  }
}

/** Creates a folder with its parents and returns the topmost new one. Node's own function loops forever in /proc. */
export function makeFolders(folder: string, mode = 0o777): string | undefined {
  if (isFolder(folder)) return undefined
  const parent = dirname(folder)
  const topmost = parent === folder ? undefined : makeFolders(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (codeOf(error) !== "EEXIST" || !isFolder(folder)) throw error
  }
  return topmost ?? folder
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Throws if other users could replace files in this folder. */
export function requireOwnFolder(folder: string): void {
  if (isOwnFolder(folder)) return
  throw new UserError(
    "failed",
    `${folder} can be changed by other users; make it yours alone (chmod o-w), or set REVERIE_HOME to another folder.`,
  )
}

/** Writes a short file atomically, readable by its owner only. */
export function writeAtomically(file: string, text: string): void {
  makePrivateFolder(dirname(file))
  const temporary = temporaryName(file)
  try {
    writeFileSync(temporary, text, { mode: 0o600, flush: true })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileError(error, file)
  }
}

/** Lets `write` fill a temporary file, then moves it to `file` atomically and safe against a power cut. */
export async function replaceFile(file: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = temporaryName(file)
  rmSync(temporary, { force: true })
  try {
    await write(temporary)
    const written = await open(temporary, "r+")
    try {
      await written.chmod(0o600)
      await written.sync()
    } finally {
      await written.close()
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileError(error, file)
  }
}

function temporaryName(file: string): string {
  return `${file}.${process.pid}.tmp`
}

/** Turns an error of the file system into a UserError; other errors pass unchanged. */
export function fileError(error: unknown, path: string): unknown {
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return readOnlyError(path, error)
    case "ENOSPC":
    case "EDQUOT":
      return diskFullError(path, error)
    case "ENOTDIR":
    case "EEXIST":
      return new UserError(
        "storage",
        `${path} cannot be created because a file is in its place; move that file.`,
        {
          cause: error,
        },
      )
    default:
      return tooManyFilesError(error) ?? error
  }
}

/** The error for a path that cannot be written. */
export function readOnlyError(path: string, cause: unknown): UserError {
  const advice = "make it writable, or set REVERIE_HOME or storage.url to another path."
  return new UserError(
    "storage",
    `${path} cannot be written: it, its folder or its disk is read-only; ${advice}`,
    {
      cause,
    },
  )
}

/** The error for a full disk. */
export function diskFullError(path: string, cause: unknown): UserError {
  const advice = "nothing was changed. Free some space and try again."
  return new UserError("storage", `The disk of ${path} is full; ${advice}`, { cause })
}
