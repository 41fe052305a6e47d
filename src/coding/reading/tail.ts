import { type FileHandle, open } from "node:fs/promises"

/** Complete lines that were added to a file. */
export interface Tail {
  lines: string[]
  /** Where to continue: after the last complete line. */
  position: number
  /** Whether there is more to read now. */
  more: boolean
  /** How many lines were skipped because they are too long. */
  skippedLines: number
}

/** How much is read at a time, and how long a line may be before it is skipped. */
interface TailLimits {
  chunkBytes: number
  longestLine: number
}

/** For the main thread: small steps, so that nothing else waits for long. */
const smallSteps: TailLimits = { chunkBytes: 256 * 1024, longestLine: 1024 * 1024 }
/** How much of a line that is too long is searched at once for its end. */
const mostSearched = 256 * 1024 * 1024

/**
 * Reads what another program wrote to a file since `position`. An incomplete last line is left for the next time; a file
 * that became shorter is read from its start. Of a line that is too long, at most one chunk is in memory.
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
      const wanted = Math.min(bytes, longestLine + 1, size - start)
      const read = await readAt(handle, start, wanted)
      // Less comes where the file became shorter in the meantime.
      const isAll = start + read.length >= size || read.length < wanted
      const end = read.lastIndexOf(0x0a) + 1
      if (end > 0) {
        const lines = read
          .subarray(0, end - 1)
          .toString("utf8")
          .split("\n")
        return { lines, position: start + end, more: !isAll, skippedLines: 0 }
      }
      if (isAll) return { lines: [], position: start, more: false, skippedLines: 0 }
      if (read.length > longestLine) {
        const next = await endOfLine(handle, start + read.length, chunkBytes)
        return { lines: [], position: next, more: next < size, skippedLines: 1 }
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

/** The end of the line at a position, or the end of the file if that comes first. */
async function endOfLine(handle: FileHandle, position: number, chunkBytes: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  for (let at = position; at - position < mostSearched; ) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, at)
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a)
    if (end !== -1) return at + end + 1
    at += bytesRead
    if (bytesRead === 0) return at
  }
  return position + mostSearched
}
