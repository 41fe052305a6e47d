import { constants } from "node:fs"
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises"
import { join } from "node:path"
import { codeOf } from "../../../base/errors.ts"
import { isWithin } from "../../../base/files/read-bounded.ts"
import { type Refused, refused } from "../refused.ts"
import { problemWithPath } from "./names.ts"

/** The opened folder of a file. Once open, nobody can replace it with a link. */
export interface OpenedFolder {
  /** The real path of the file, as it was when the folder was opened. */
  file: string
  /** A path to the file through the opened folder. */
  through: string
  close(): Promise<void>
}

/** Opens the folder of a path in a worktree. No folder on the way may be a link; `make` creates missing ones. */
export async function openFolderOf(
  root: string,
  path: string,
  make: (folder: string) => Promise<void> = async () => {},
): Promise<OpenedFolder | Refused> {
  const problem = problemWithPath(path)
  if (problem !== undefined) return refused(`${JSON.stringify(path)} ${problem}.`)
  const top = await realpath(root)
  const folders = path.split("/").slice(0, -1)
  let folder = top
  for (const name of folders) {
    folder = join(folder, name)
    const found = await lstat(folder).catch(() => undefined)
    if (found === undefined) await make(folder)
    else if (!found.isDirectory()) return refused(`${path} cannot be reached: ${name} is a link or a file.`)
  }
  const handle = await openFolder(folder)
  if (handle === undefined) return refused(`${path} does not exist.`)
  // A folder on the way may have become a link since the check; the open handle knows its real path.
  const real = await pathOf(handle, folder)
  if (real === undefined || real !== folder || !isWithin(top, real)) {
    await handle.close()
    return refused(`${path} leads out of the worktree.`)
  }
  const name = path.split("/").at(-1) ?? ""
  const isLinux = process.platform === "linux"
  return {
    file: join(folder, name),
    through: isLinux ? `/proc/self/fd/${handle.fd}/${name}` : join(folder, name),
    close: () => handle.close(),
  }
}

async function openFolder(folder: string): Promise<FileHandle | undefined> {
  try {
    return await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(codeOf(error))) return undefined
    throw error
  }
}

async function pathOf(handle: FileHandle, folder: string): Promise<string | undefined> {
  const real = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
  return real ?? (await realpath(folder).catch(() => undefined))
}

/** Opens a regular file without hard links, and never blocks. */
export async function openFile(
  { through }: OpenedFolder,
  path: string,
  flags: number,
): Promise<FileHandle | Refused> {
  try {
    const found = await lstat(through).catch(() => undefined)
    if (found !== undefined && !found.isFile()) return refused(`${path} is not a regular file.`)
    const handle = await open(through, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644)
    const now = await handle.stat()
    if (now.isFile() && now.nlink === 1) return handle
    await handle.close()
    return refused(now.isFile() ? `${path} has a hard link elsewhere.` : `${path} is not a regular file.`)
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT") return refused(`${path} does not exist.`)
    if (code === "ELOOP") return refused(`${path} is a link.`)
    return refused(`${path} cannot be opened (${code}).`)
  }
}
