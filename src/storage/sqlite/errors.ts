import { closeSync, openSync } from "node:fs"
import { messageOf, tooManyFiles, UserError } from "../../base/errors.ts"
import { diskFull, fileError, readOnly } from "../../base/files/files.ts"

/** SQLite's primary result codes that a user can do something about. */
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

/** Whether another connection holds the lock and trying again makes sense. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === codes.busy || code === codes.locked
}

/** Whether a file is damaged, or only half written yet. */
export function isMalformed(error: unknown): boolean {
  return primaryCode(error) === codes.corrupt
}

/** Turns what SQLite or the file system threw into one sentence; anything else passes unchanged. */
export function storageError(error: unknown, file: string): unknown {
  switch (primaryCode(error)) {
    case codes.readOnly:
      return readOnly(file, error)
    case codes.full:
      return diskFull(file, error)
    case codes.notADb:
      return notOurs(file, error)
    case codes.cannotOpen: {
      const sentence = sentenceFor(error, file) ?? ""
      return whyNoFileOpens() ?? new UserError("storage", sentence, { cause: error })
    }
    default: {
      const sentence = sentenceFor(error, file)
      return sentence === undefined
        ? fileError(error, file)
        : new UserError("storage", sentence, { cause: error })
    }
  }
}

/** The cause of a refusal that has none in SQLite. */
export const foreignContent = "what is there is no database of ours"

/** The refusal of a file that another program wrote. */
export function notOurs(file: string, cause?: unknown): UserError {
  const advice = "it was left as it is. Move it away or set storage.url to another path."
  return new UserError("storage", `${file} is not a Reverie database; ${advice}`, { cause })
}

/** SQLite does not tell why a file cannot be opened. */
function whyNoFileOpens(): UserError | undefined {
  try {
    closeSync(openSync("/dev/null", "r"))
    return undefined
  } catch (error) {
    return tooManyFiles(error)
  }
}

/** The refusal of a folder, pipe or device where the database should be. */
export function noFile(file: string): UserError {
  const advice = "move it away, or set storage.url to another path."
  const sentence = `${file} is no file but something else, such as a folder; ${advice}`
  return new UserError("storage", sentence, { cause: foreignContent })
}

/** Whether a failure to open or read means that what is in the file cannot be used. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof UserError) || error.kind !== "storage") return false
  const code = primaryCode(error.cause)
  return code === codes.corrupt || code === codes.notADb || error.cause === foreignContent
}

function sentenceFor(error: unknown, file: string): string | undefined {
  switch (primaryCode(error)) {
    case codes.busy:
    case codes.locked:
      return `Another process has kept ${file} locked for too long; stop it (see \`reverie status\`) and try again.`
    case codes.ioError:
      return `The disk failed while using ${file} (${messageOf(error)}); nothing was acknowledged. Check its free space and health, then run \`reverie doctor\`.`
    case codes.corrupt:
      return `${file} is damaged; run \`reverie doctor\`, and put back a snapshot with \`reverie snapshot restore\`.`
    case codes.cannotOpen:
      return `${file} cannot be opened: check that its folder exists and that you may write there, or set storage.url to another path.`
    default:
      return undefined
  }
}

function primaryCode(error: unknown): number {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return 0
  return Number(error.errcode) & 255
}
