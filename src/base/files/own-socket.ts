import { type Stats, statSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Whether no other user can have created this socket: we own it, and others cannot write to its folder. This matters
 * when the socket is in a shared folder because the path of the home is too long.
 */
export function isOwnSocket(socket: string): boolean {
  const { uid } = statSync(socket)
  return uid === myId(uid) && isOwnFolder(dirname(socket))
}

/** Whether no other user can write to a folder. Root may use others' folders, except below a shared one. */
export function isOwnFolder(folder: string): boolean {
  const found = statSync(folder)
  if (canOthersWrite(found)) return false
  const me = myId(found.uid)
  return found.uid === me || found.uid === 0 || (me === 0 && !canOthersWrite(statSync(dirname(folder))))
}

function canOthersWrite({ mode }: Stats): boolean {
  return (mode & 0o002) !== 0
}

/** The user's numeric id; where the system has none, the given owner counts as the user. */
function myId(otherwise: number): number {
  return process.getuid?.() ?? otherwise
}
