export interface TarEntry {
  path: string
  /** What the reader does not consume is skipped. */
  content: AsyncIterable<Uint8Array>
}

const blockSize = 512

/** Reads a tar archive as a stream, without storing it. Fails if it is incomplete or too large. */
export async function* readTar(
  archive: AsyncIterable<Uint8Array>,
  mostBytes: number,
): AsyncGenerator<TarEntry> {
  const bytes = openBytes(archive, mostBytes)
  try {
    for (;;) {
      const header = await bytes.exactly(blockSize)
      // An archive ends with empty blocks.
      if (header === undefined || header.every((byte) => byte === 0)) return
      const { path, size, isFile } = readHeader(header)
      const rest = { left: size }
      if (isFile) yield { path, content: take(bytes, rest) }
      for await (const _ of take(bytes, rest));
      for await (const _ of take(bytes, { left: -size & (blockSize - 1) }));
    }
  } finally {
    await bytes.close()
  }
}

function readHeader(header: Uint8Array): { path: string; size: number; isFile: boolean } {
  const size = Number.parseInt(textAt(header, 124, 12).trim() || "0", 8)
  if (!Number.isSafeInteger(size) || size < 0) throw new Error("the archive has a file of unreadable size")
  const prefix = textAt(header, 345, 155)
  const name = textAt(header, 0, 100)
  const kind = textAt(header, 156, 1)
  return { path: prefix ? `${prefix}/${name}` : name, size, isFile: kind === "0" || kind === "" }
}

function textAt(header: Uint8Array, start: number, length: number): string {
  const field = Buffer.from(header.subarray(start, start + length)).toString("utf8")
  const end = field.indexOf("\0")
  return end < 0 ? field : field.slice(0, end)
}

/** The rest of a file. */
async function* take(bytes: Bytes, rest: { left: number }): AsyncGenerator<Uint8Array> {
  while (rest.left > 0) {
    const part = await bytes.upTo(rest.left)
    rest.left -= part.length
    yield part
  }
}

type Bytes = ReturnType<typeof openBytes>

/** Reads a stream in requested sizes. */
function openBytes(stream: AsyncIterable<Uint8Array>, mostBytes: number) {
  let received = 0
  const parts = stream[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array(0)
  const fill = async () => {
    while (held.length === 0) {
      const next = await parts.next()
      if (next.done) return false
      held = next.value
      received += held.length
      if (received > mostBytes) throw new Error("the archive is far larger than it should be")
    }
    return true
  }
  /** At most this many bytes. */
  const upTo = async (most: number): Promise<Uint8Array> => {
    if (!(await fill())) throw new Error("the archive breaks off")
    const part = held.subarray(0, most)
    held = held.subarray(part.length)
    return part
  }
  return {
    upTo,
    /** Exactly this many bytes; undefined if the stream has ended before the first. */
    async exactly(count: number): Promise<Uint8Array | undefined> {
      if (!(await fill())) return undefined
      const whole = new Uint8Array(count)
      for (let at = 0; at < count; ) {
        const part = await upTo(count - at)
        whole.set(part, at)
        at += part.length
      }
      return whole
    },
    close: async () => void (await parts.return?.()),
  }
}
