import { readFile } from "node:fs/promises"
import zlib from "node:zlib"
import type { Progress, ReadResult } from "../sessions/session-source.ts"
import { type LineFormat, newTranscript, nothingNew, readLines } from "./transcript.ts"

/** The largest size of an unpacked transcript. */
const mostBytes = 256 * 1024 * 1024

/** Reads a packed transcript whole, and only once: tools do not change it any more. */
export async function readPacked(
  format: LineFormat,
  file: string,
  from: Progress | undefined,
): Promise<ReadResult> {
  const packed = await readFile(file)
  if (from?.position === packed.length) return nothingNew(from)
  const text = (await unpack(packed)).toString("utf8")
  const { update } = readLines(format, newTranscript(format, file), text.split("\n"), file)
  return { update, state: null, position: packed.length, more: false }
}

/** The error for a packed transcript if this Node is too old. */
const cannotUnpack = `Node ${process.versions.node} cannot read packed transcripts (.zst); use Node 22.15 or newer`

function unpack(packed: Buffer): Promise<Buffer> {
  if (typeof zlib.zstdDecompress !== "function") throw new Error(cannotUnpack)
  return new Promise((resolve, reject) => {
    const options = { maxOutputLength: mostBytes }
    zlib.zstdDecompress(packed, options, (error, text) => (error ? reject(error) : resolve(text)))
  })
}
