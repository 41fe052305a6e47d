import { open } from "node:fs/promises"

/** Whole lines that came to a file since it was last read. */
export interface Tail {
  lines: string[]
  /** Where to go on: after the last whole line. */
  position: number
  /** Whether there is more to read at once. */
  more: boolean
}

/** How much is read at a time, and how long a line may be before it is passed over. */
const chunkBytes = 4 * 1024 * 1024
const longestLine = 64 * 1024 * 1024

/**
 * Reads what another program has written to a file since `position`. A last line without its end is left for the
 * next time; a file that became shorter is read from its beginning.
 */
export async function readTail(file: string, position: number, firstBytes = chunkBytes): Promise<Tail> {
  const handle = await open(file, "r")
  try {
    const { size } = await handle.stat()
    const start = position > size ? 0 : position
    for (let bytes = firstBytes; ; bytes *= 2) {
      const buffer = Buffer.alloc(Math.min(bytes, size - start))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start)
      const read = buffer.subarray(0, bytesRead)
      const isAll = start + bytesRead >= size
      const end = read.lastIndexOf(0x0a) + 1
      if (end > 0) {
        const lines = read
          .subarray(0, end - 1)
          .toString("utf8")
          .split("\n")
        return { lines, position: start + end, more: !isAll }
      }
      if (isAll) return { lines: [], position: start, more: false }
      if (bytes >= longestLine) return { lines: [], position: start + bytesRead, more: true }
    }
  } finally {
    await handle.close()
  }
}
