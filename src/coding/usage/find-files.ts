import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"

/** Files below a folder whose name fits and that changed since a moment; a folder that is not there has none. */
export async function findFiles(folder: string, name: RegExp, since: number): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const found: string[] = []
  for (const entry of entries) {
    if (!entry.isFile() || !name.test(entry.name)) continue
    const file = join(entry.parentPath, entry.name)
    const changedAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    )
    if (changedAt >= since) found.push(file)
  }
  return found.sort()
}
