import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"

/** What each file costs besides its bytes, so that a million empty ones count too. */
const fileBytes = 4096

/** How many bytes lie in a folder, links not followed; it stops counting beyond `enough`. */
export async function folderSize(folder: string, enough: number): Promise<number> {
  const waiting = [folder]
  let size = 0
  for (let one = waiting.pop(); one !== undefined && size <= enough; one = waiting.pop()) {
    const entries = await readdir(one, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = join(one, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      const found = entry.isFile() ? await lstat(path).catch(() => undefined) : undefined
      size += fileBytes + (found === undefined ? 0 : found.blocks * 512)
      if (size > enough) break
    }
  }
  return size
}
