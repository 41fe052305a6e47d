import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"

interface Walk {
  /** The folder below the root to start in; "" is the root itself. */
  from?: string
  /** Whether to enter a folder; links are never followed. */
  mayEnter?(path: string, entry: Dirent): boolean | Promise<boolean>
  /** Whether folders that cannot be read count as empty. */
  isLenient?: boolean
}

/** Every entry below a folder, with its path relative to the root. */
export async function* walk(
  root: string,
  { from = "", mayEnter = () => true, isLenient = false }: Walk,
): AsyncGenerator<{ path: string; entry: Dirent }> {
  const waiting = [from]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const reading = readdir(join(root, folder), { withFileTypes: true })
    for (const entry of isLenient ? await reading.catch(() => []) : await reading) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && (await mayEnter(path, entry))) waiting.push(path)
      yield { path, entry }
    }
  }
}
