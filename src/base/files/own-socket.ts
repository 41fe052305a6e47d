import { type Stats, statSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Whether nobody else can have put this socket there: it is ours, and it stands in a folder of ours that others cannot
 * change. It matters where a long home has its socket in a folder that all users share.
 */
export function isOwnSocket(socket: string): boolean {
  const { uid } = statSync(socket)
  return uid === myId(uid) && isOwnFolder(dirname(socket))
}

/** Whether nobody else can put something into a folder. Root may use the folders of others, but none in a shared one. */
export function isOwnFolder(folder: string): boolean {
  const found = statSync(folder)
  if (canOthersWrite(found)) return false
  const me = myId(found.uid)
  return found.uid === me || found.uid === 0 || (me === 0 && !canOthersWrite(statSync(dirname(folder))))
}

function canOthersWrite({ mode }: Stats): boolean {
  return (mode & 0o002) !== 0
}

/** The user's number; where the system has none, everything counts as theirs. */
function myId(otherwise: number): number {
  return process.getuid?.() ?? otherwise
}
