import type { Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"
import { messageOf } from "../../errors.ts"
import { bytesText } from "../../text/text.ts"
import { FetchFailure } from "./outcome.ts"

/** The maximum size of a response, as received and decompressed. */
export interface SizeLimits {
  mostBytes: number
  mostUnpackedBytes: number
}

/** Reads and decompresses a body. It stops as soon as a limit is exceeded (zip bombs). */
export async function unpack(
  body: Readable,
  encoding: string | undefined,
  limits: SizeLimits,
): Promise<Uint8Array> {
  const names = (encoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
  const packed = names.filter((name) => name !== "" && name !== "identity")
  // Only zip bombs are compressed more than once.
  if (packed.length > 1) throw new FetchFailure("broken", "the answer is packed more than once")
  const came = within(body, limits.mostBytes, "the server sent more than")
  const [kind] = packed
  if (kind === undefined) return joined(within(came, limits.mostUnpackedBytes, "the server sent more than"))
  return joined(within(unpacked(came, kind), limits.mostUnpackedBytes, "the answer unpacks to more than"))
}

type Parts = AsyncIterable<Uint8Array>

async function* within(parts: Parts, most: number, sentence: string): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const part of parts) {
    size += part.byteLength
    if (size > most) throw new FetchFailure("too-much", `${sentence} ${bytesText(most)}`)
    yield part
  }
}

async function* unpacked(parts: Parts, kind: string): AsyncGenerator<Uint8Array> {
  const source = parts[Symbol.asyncIterator]()
  const first = await nextPart(source)
  if (first === undefined) return
  const stream = streamFor(kind, first)
  const feeding = feed(stream, first, source)
  // An error of the source ends the decompression.
  feeding.catch((error) => stream.destroy(error instanceof Error ? error : new Error(messageOf(error))))
  try {
    for await (const part of stream) yield part
    await feeding
  } catch (error) {
    if (error instanceof FetchFailure) throw error
    throw new FetchFailure("broken", `the answer cannot be unpacked (${messageOf(error)})`)
  } finally {
    stream.destroy()
    // Not awaited: a stalled server would block it.
    void source.return?.().catch(() => {})
  }
}

type Unpacker = ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress>

function streamFor(kind: string, first: Uint8Array): Unpacker {
  switch (kind) {
    case "gzip":
    case "x-gzip":
      return createGunzip()
    case "br":
      return createBrotliDecompress()
    case "deflate":
      // Servers use this name for two formats; the first half byte distinguishes them.
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
    default:
      throw new FetchFailure("broken", "the answer is packed in a way that was not asked for")
  }
}

async function feed(stream: Unpacker, first: Uint8Array, source: AsyncIterator<Uint8Array>): Promise<void> {
  for (let part: Uint8Array | undefined = first; part !== undefined; part = await nextPart(source)) {
    if (stream.destroyed) return
    if (!stream.write(part)) await drained(stream)
  }
  stream.end()
}

function drained(stream: Unpacker): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done)
      stream.off("close", done)
      resolve()
    }
    stream.on("drain", done)
    stream.on("close", done)
  })
}

async function nextPart(source: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const { done, value } = await source.next()
  return done ? undefined : value
}

async function joined(parts: Parts): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  return Buffer.concat(all)
}
