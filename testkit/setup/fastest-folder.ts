import { statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder in memory, and how much must be free there: what is put there takes a tenth of it. */
const inMemory = "/dev/shm"
const bytesNeeded = 2 * 1024 ** 3

/** Where files are written without waiting for a disk, if there is such a place. */
export function fastestFolder(): string {
  const { bavail, bsize } = spaceOf(inMemory)
  return bavail * bsize >= bytesNeeded ? inMemory : tmpdir()
}

/** Where all goes that the tests of one run throw away. Only a name: global-setup makes the folder and removes it. */
export function folderOfRun(): string {
  return join(fastestFolder(), `reverie-${process.pid}`)
}

function spaceOf(folder: string): { bavail: number; bsize: number } {
  try {
    return statfsSync(folder)
  } catch {
    return { bavail: 0, bsize: 0 }
  }
}
