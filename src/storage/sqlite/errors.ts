import { closeSync, openSync } from "node:fs"
import { messageOf, tooManyFilesError, UserError } from "../../base/errors.ts"
import { diskFullError, fileError, readOnlyError } from "../../base/files/files.ts"

/** The primary result codes of SQLite that are handled here. */
const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADb: 26,
}

/** Whether another connection holds the lock, so that a retry makes sense. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === codes.busy || code === codes.locked
}

/** Whether a file is damaged, or not completely written yet. */
export function isMalformed(error: unknown): boolean {
  return primaryCode(error) === codes.corrupt
}

/** Turns errors of SQLite or the file system into a UserError; other errors pass unchanged. */
export function storageError(error: unknown, file: string): unknown {
  const withMessage = (message: string) => new UserError("storage", message, { cause: error })
  switch (primaryCode(error)) {
    case codes.readOnly:
      return readOnlyError(file, error)
    case codes.full:
      return diskFullError(file, error)
    case codes.notADb:
      return notOurDatabaseError(file, error)
    case codes.busy:
    case codes.locked:
      return withMessage(
        `Another process has locked ${file} for too long; stop it (see \`reverie status\`) and try again.`,
      )
    case codes.ioError:
      return withMessage(
        `The disk failed while using ${file} (${messageOf(error)}); the last change may not be stored. Check its free space and health, then run \`reverie doctor\`.`,
      )
    case codes.corrupt:
      return withMessage(
        `${file} is damaged; run \`reverie doctor\`, and restore a snapshot with \`reverie snapshot restore\`.`,
      )
    case codes.cannotOpen:
      return (
        fileLimitError() ??
        withMessage(
          `${file} cannot be opened: check that its folder exists and that you may write there, or set storage.url to another path.`,
        )
      )
    default:
      return fileError(error, file)
  }
}

/** The cause of a refusal that SQLite itself did not report. */
export const notOurDatabase = "this is not our database"

/** The error for a file that another program wrote. */
export function notOurDatabaseError(file: string, cause?: unknown): UserError {
  const advice = "it was left as it is. Move it away or set storage.url to another path."
  return new UserError("storage", `${file} is not a Reverie database; ${advice}`, { cause })
}

/** The error if this process cannot open any more files, which SQLite does not report. */
function fileLimitError(): UserError | undefined {
  try {
    closeSync(openSync("/dev/null", "r"))
    return undefined
  } catch (error) {
    return tooManyFilesError(error)
  }
}

/** The error for a folder, pipe or device in the place of the database. */
export function notAFileError(file: string): UserError {
  const advice = "move it away, or set storage.url to another path."
  const sentence = `${file} is not a file but something else, such as a folder; ${advice}`
  return new UserError("storage", sentence, { cause: notOurDatabase })
}

/** Whether an error means that the content of the file cannot be used. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof UserError) || error.kind !== "storage") return false
  const code = primaryCode(error.cause)
  return code === codes.corrupt || code === codes.notADb || error.cause === notOurDatabase
}

function primaryCode(error: unknown): number {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return 0
  return Number(error.errcode) & 255
}
