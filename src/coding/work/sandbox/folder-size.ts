import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { walk } from "../files/walk.ts"

/** What each file costs besides its bytes, so that a million empty ones count too. */
const fileBytes = 4096

/** How many bytes lie in a folder, links not followed; it stops counting beyond `enough`. */
export async function folderSize(folder: string, enough: number): Promise<number> {
  let size = 0
  for await (const { path, entry } of walk(folder, { isLenient: true })) {
    const found = entry.isFile() ? await lstat(join(folder, path)).catch(() => undefined) : undefined
    size += fileBytes + (found === undefined ? 0 : found.blocks * 512)
    if (size > enough) break
  }
  return size
}
