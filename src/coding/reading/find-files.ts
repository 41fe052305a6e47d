import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"

/** Files below a folder whose name fits and that changed since a moment; a folder that is not there has none. */
export type FindFiles = (folder: string, name: RegExp, since: number) => Promise<string[]>

/** Looks at every file. */
export const findFiles: FindFiles = (folder, name, since) => createFileFinder()(folder, name, since)

/** A file that had not changed is believed to stay so for this long. */
const believedMs = 2 * 60_000

/**
 * A finder that is asked again and again for what is newer than some time ago: files that were long quiet are looked at
 * only now and then, since most files of these folders never change again.
 */
export function createFileFinder(): FindFiles {
  const quiet = new Map<string, { changedAt: number; since: number }>()
  return async (folder, name, since) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const found: string[] = []
    for (const entry of entries) {
      if (!entry.isFile() || !name.test(entry.name)) continue
      const file = join(entry.parentPath, entry.name)
      const known = quiet.get(file)
      if (known && known.changedAt < since && since - known.since < believedMs) continue
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
