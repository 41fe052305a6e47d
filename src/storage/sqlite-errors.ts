import { codeOf, messageOf, UserError } from "../base/errors.ts"

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

/** Turns what SQLite or the file system threw into one sentence; anything else passes unchanged. */
export function storageError(error: unknown, file: string): unknown {
  if (error instanceof UserError) return error
  const sentence = sentenceFor(error, file)
  return sentence === undefined ? error : new UserError("storage", sentence, { cause: error })
}

function sentenceFor(error: unknown, file: string): string | undefined {
  switch (primaryCode(error)) {
    case codes.busy:
    case codes.locked:
      return `Another process has kept ${file} locked for too long; stop it (see \`reverie status\`) and try again.`
    case codes.readOnly:
      return `${file} cannot be written: the file, its folder or the disk is read-only; mend that or set storage.url to another place.`
    case codes.full:
      return `The disk of ${file} is full; nothing was changed. Free some space and try again.`
    case codes.ioError:
      return `The disk failed while using ${file} (${messageOf(error)}); nothing was acknowledged. Check its free space and health, then run \`reverie doctor\`.`
    case codes.corrupt:
      return `${file} is damaged; run \`reverie doctor\`, and put back a snapshot with \`reverie snapshot restore\`.`
    case codes.cannotOpen:
      return `${file} cannot be opened: check that its folder exists and that you may write there, or set storage.url to another place.`
    case codes.notADb:
      return notOurs(file)
    default:
      return fileSentence(error, file)
  }
}

function fileSentence(error: unknown, file: string): string | undefined {
  if (error instanceof Error && error.message === "not ours") return notOurs(file)
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return `${file} cannot be written: the file, its folder or the disk is read-only; mend that or set storage.url to another place.`
    case "ENOSPC":
      return `The disk of ${file} is full; nothing was changed. Free some space and try again.`
    case "ENOTDIR":
    case "EEXIST":
      return `The folder for ${file} cannot be made because a file stands in its way; move that file or set storage.url to another place.`
    default:
      return undefined
  }
}

function notOurs(file: string): string {
  return `${file} is not a Reverie database; it was left as it is. Move it away or set storage.url to another place.`
}

function primaryCode(error: unknown): number {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return 0
  return Number(error.errcode) & 255
}
