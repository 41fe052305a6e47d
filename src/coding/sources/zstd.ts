import { readFile } from "node:fs/promises"
import zlib from "node:zlib"
import type { Progress, SessionSource } from "../sessions/session-source.ts"
import { fresh, type LineFormat, locationsOf, readLines } from "./transcript.ts"

/** The most that one packed transcript may become. */
const mostBytes = 256 * 1024 * 1024

/** Adds packed transcripts to a source. They are read whole, once: nobody writes to them any more. */
export function zstdSource(
  open: SessionSource,
  format: LineFormat,
  files: (since: number) => Promise<string[]>,
): SessionSource {
  return {
    ...open,
    locations: async (since) => [
      ...(await open.locations(since)),
      ...(await locationsOf(await files(since))),
    ],
    read: (file, from) => (file.endsWith(".zst") ? readPacked(format, file, from) : open.read(file, from)),
  }
}

async function readPacked(format: LineFormat, file: string, from: Progress | undefined) {
  const packed = await readFile(file)
  if (from?.position === packed.length) return { ...from, news: undefined, more: false }
  const text = (await unpack(packed)).toString("utf8")
  const { news } = readLines(format, fresh(format, file), text.split("\n"), file)
  return { news, state: null, position: packed.length, more: false }
}

/** Said in the log where a packed transcript is met and this Node is too old for it. */
const cannotUnpack = `Node ${process.versions.node} cannot read packed transcripts (.zst); use Node 22.15 or newer`

function unpack(packed: Buffer): Promise<Buffer> {
  if (typeof zlib.zstdDecompress !== "function") throw new Error(cannotUnpack)
  return new Promise((resolve, reject) => {
    const options = { maxOutputLength: mostBytes }
    zlib.zstdDecompress(packed, options, (error, text) => (error ? reject(error) : resolve(text)))
  })
}
