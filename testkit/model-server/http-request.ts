import type { IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { gunzipSync, zstdDecompressSync } from "node:zlib"
import { type HttpRequest, readJson } from "./asked.ts"

/** Reads a request to its end. */
export async function readRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const [path = "", query = ""] = (incoming.url ?? "").split("?")
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
  const text = unpack(await buffer(incoming), incoming.headers["content-encoding"]).toString("utf8")
  return {
    method: incoming.method ?? "GET",
    path,
    query,
    headers: Object.fromEntries(headers),
    body: readJson(text),
  }
}

/** Codex may send its requests compressed. */
function unpack(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "zstd") return zstdDecompressSync(bytes)
  if (encoding === "gzip") return gunzipSync(bytes)
  return bytes
}
