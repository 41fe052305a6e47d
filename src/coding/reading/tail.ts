import { type FileHandle, open } from "node:fs/promises"

/** Whole lines that came to a file since it was last read. */
export interface Tail {
  lines: string[]
  /** Where to go on: after the last whole line. */
  position: number
  /** Whether there is more to read at once. */
  more: boolean
  /** Lines that were passed over because they are too long. */
  passedOver: number
}

/** How much is read at a time, and how long a line may be before it is passed over. */
export interface TailLimits {
  chunkBytes: number
  longestLine: number
}

/** For reading on the program's own loop: nothing else waits for long. */
const smallSteps: TailLimits = { chunkBytes: 256 * 1024, longestLine: 1024 * 1024 }
/** How much of a line that is too long is looked at before others get their turn. */
const longestLook = 256 * 1024 * 1024

/**
 * Reads what another program has written to a file since `position`. A last line without its end is left for the
 * next time; a file that became shorter is read from its beginning. Of a line that is too long no more than a chunk is
 * ever in memory.
 */
export async function readTail(
  file: string,
  position: number,
  { chunkBytes, longestLine }: TailLimits = smallSteps,
): Promise<Tail> {
  const handle = await open(file, "r")
  try {
    const { size } = await handle.stat()
    const start = position > size ? 0 : position
    for (let bytes = chunkBytes; ; bytes *= 2) {
      const read = await readAt(handle, start, Math.min(bytes, longestLine + 1, size - start))
      const isAll = start + read.length >= size
      const end = read.lastIndexOf(0x0a) + 1
      if (end > 0) {
        const lines = read
          .subarray(0, end - 1)
          .toString("utf8")
          .split("\n")
        return { lines, position: start + end, more: !isAll, passedOver: 0 }
      }
      if (isAll) return { lines: [], position: start, more: false, passedOver: 0 }
      if (read.length > longestLine) {
        const next = await endOfLine(handle, start + read.length, chunkBytes)
        return { lines: [], position: next, more: next < size, passedOver: 1 }
      }
    }
  } finally {
    await handle.close()
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** Where the line that goes through a position ends; where the file ends, if that comes first. */
async function endOfLine(handle: FileHandle, position: number, chunkBytes: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (let at = position; at - position < longestLook; ) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, at)
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a)
    if (end !== -1) return at + end + 1
    at += bytesRead
    if (bytesRead === 0) return at
  }
  return position + longestLook
}
