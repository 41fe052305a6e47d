import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf, tooManyFiles, UserError } from "../errors.ts"
import { isOwnFolder } from "./own-socket.ts"

/** Makes a folder that only its owner may enter, with its parents. */
export function makePrivateFolder(folder: string): void {
  try {
    makeFolders(folder, 0o700)
  } catch (error) {
    // Where the system makes no folders at all, such as in /proc, it says ENOENT.
    throw fileError(codeOf(error) === "ENOENT" ? readOnly(folder, error) : error, folder)
  }
}

/**
 * Makes a folder with its parents, and gives the topmost one that was made. Node's own way never ends where a folder
 * is there but what is made in it is said to have no parent, as in /proc.
 */
export function makeFolders(folder: string, mode = 0o777): string | undefined {
  if (isFolder(folder)) return undefined
  const parent = dirname(folder)
  const topmost = parent === folder ? undefined : makeFolders(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Somebody else was quicker.
    if (codeOf(error) !== "EEXIST" || !isFolder(folder)) throw error
  }
  return topmost ?? folder
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Refuses a folder where others could replace what is ours; it matters in folders that all users share. */
export function requireOwnFolder(folder: string): void {
  if (isOwnFolder(folder)) return
  throw new UserError(
    "failed",
    `${folder} can be changed by other users; make it yours alone (chmod o-w), or set REVERIE_HOME to another folder.`,
  )
}

/** Writes a short file whole or not at all, readable by its owner only. */
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

/** Has a file written beside its path, then moves it there whole and safe against a power cut, or not at all. */
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
      return tooManyFiles(error) ?? error
  }
}

/** The sentence for a path that cannot be written. */
export function readOnly(path: string, cause: unknown): UserError {
  const advice = "mend that, or set REVERIE_HOME or storage.url to another path."
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
