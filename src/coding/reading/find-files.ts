import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"

/** The files below a folder with a matching name that changed since a time; none if the folder does not exist. */
export type FindFiles = (folder: string, name: RegExp, since: number) => Promise<string[]>

/** Checks every file. */
export const findFiles: FindFiles = (folder, name, since) => createFileFinder()(folder, name, since)

/** An unchanged file is not checked again for this long. */
const recheckMs = 2 * 60_000

/** A finder for repeated calls: it checks old files only now and then, because most of them never change again. */
export function createFileFinder(): FindFiles {
  const quiet = new Map<string, { changedAt: number; since: number }>()
  return async (folder, name, since) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const found: string[] = []
    for (const entry of entries) {
      if (!entry.isFile() || !name.test(entry.name)) continue
      const file = join(entry.parentPath, entry.name)
      const known = quiet.get(file)
      if (known && known.changedAt < since && since - known.since < recheckMs) continue
      const changedAt = await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      )
      quiet.set(file, { changedAt, since })
      if (changedAt >= since) found.push(file)
    }
    return found.sort()
  }
}
