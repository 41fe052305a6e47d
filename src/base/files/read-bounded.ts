import { constants } from "node:fs"
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises"
import { join, relative, resolve, sep } from "node:path"
import { codeOf, messageOf } from "../errors.ts"

/** The result of reading a file that may be hostile. */
export type BoundedText =
  | { outcome: "read"; text: string }
  | { outcome: "missing" }
  /** The reason completes "FILE …". */
  | { outcome: "refused"; reason: string }

interface Bounds {
  mostBytes: number
  /** Whether to follow links that stay inside the folder, as by default. Links that lead out are always refused. */
  links?: "inside" | "none"
}

/**
 * Reads a file below a folder that may be hostile: a regular file of limited size, and no link that leads out of the
 * folder. Pipes, devices and sockets are refused without blocking.
 */
export async function readWithin(folder: string, path: string, bounds: Bounds): Promise<BoundedText> {
  try {
    const root = await realpath(folder)
    const file = await realpath(join(root, path))
    if (!isWithin(root, file)) return refused("is a link that leads out of its folder")
    if (bounds.links === "none" && file !== join(root, path)) return refused("is a link")
    return await readRegular(file, bounds.mostBytes)
  } catch (error) {
    return unreadable(error)
  }
}

/** Reads a file of the user, following any link: a regular file of limited size. */
export async function readBounded(path: string, mostBytes: number): Promise<BoundedText> {
  try {
    return await readRegular(await realpath(path), mostBytes)
  } catch (error) {
    return unreadable(error)
  }
}

/** Opens a regular file whose path contains no links; undefined for anything else. Never blocks. */
export async function openRegular(file: string): Promise<FileHandle | undefined> {
  // Opening a device can have side effects, so the type is checked first.
  if (!(await lstat(file)).isFile()) return undefined
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  if ((await handle.stat()).isFile() && (await isStillAt(handle, file))) return handle
  await handle.close()
  return undefined
}

/** Whether the path still leads to the opened file: a folder on the path may have been replaced by a link. */
async function isStillAt(handle: FileHandle, file: string): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
  if (opened !== undefined) return opened === file
  const [mine, theirs] = await Promise.all([handle.stat(), lstat(file)])
  return mine.dev === theirs.dev && mine.ino === theirs.ino && (await realpath(file)) === file
}

async function readRegular(file: string, mostBytes: number): Promise<BoundedText> {
  const handle = await openRegular(file)
  if (handle === undefined) return refused("is not a regular file")
  try {
    if ((await handle.stat()).size > mostBytes) return tooLong(mostBytes)
    const bytes = await readUpTo(handle, mostBytes + 1)
    if (bytes.length > mostBytes) return tooLong(mostBytes)
    return { outcome: "read", text: bytes.toString("utf8") }
  } finally {
    await handle.close()
  }
}

/** Reads at most `most` bytes, whatever size the file reports: it may grow, and some report none. */
async function readUpTo(handle: FileHandle, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let length = 0; length < most; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(65_536, most - length)))
    if (bytesRead === 0) break
    parts.push(buffer.subarray(0, bytesRead))
    length += bytesRead
  }
  return Buffer.concat(parts)
}

/** Whether a path is the folder or below it. Both are absolute and without links. */
export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, resolve(path))
  return below === "" || (below !== ".." && !below.startsWith(`..${sep}`) && !below.startsWith(sep))
}

function tooLong(mostBytes: number): BoundedText {
  return refused(`is longer than ${Math.floor(mostBytes / 1024)} kB`)
}

function refused(reason: string): BoundedText {
  return { outcome: "refused", reason }
}

function unreadable(error: unknown): BoundedText {
  const code = codeOf(error)
  if (code === "ENOENT" || code === "ENOTDIR") return { outcome: "missing" }
  return refused(`cannot be read (${code === "" ? messageOf(error) : code})`)
}
