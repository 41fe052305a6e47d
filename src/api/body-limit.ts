import type { MiddlewareHandler } from "hono"
import { type Clock, sleep } from "../base/clock.ts"
import { UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import { bytesText } from "../base/text/text.ts"
import { answerFailure } from "./answers/answer.ts"

/** At most this many bytes in a request. */
const usualBytes = 4_000_000
/** At most this many bytes in a hook call: tools pass whole tool results. */
const hookBytes = 32_000_000
/** How long the rest of a too long body is read: a client that is cut off while it sends never sees the answer. */
const droppingMs = 1000

/** Answers a too long body with 413 before it is in memory. Only an import has no limit. */
export function limitBodies({ log, clock }: { log: Log; clock: Clock }): MiddlewareHandler {
  return async (context, next) => {
    const { path, raw } = context.req
    // An import limits each line.
    if (raw.body === null || path === "/v1/memories/import") return next()
    const most = path.startsWith("/v1/hooks/") ? hookBytes : usualBytes
    const declared = raw.headers.get("content-length")
    const body = declared === null ? await readUpTo(raw.body, most) : undefined
    if (body === "too long" || Number(declared) > most) {
      await discardRest(raw.body.getReader(), clock)
      return answerFailure(context, tooLarge(most), log)
    }
    if (body) context.req.raw = new Request(raw, { body })
    return next()
  }
}

/** Reads a body of unknown length, up to `most` bytes. */
async function readUpTo(
  body: ReadableStream<Uint8Array>,
  most: number,
): Promise<Buffer<ArrayBuffer> | "too long"> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body.values({ preventCancel: true })) {
    bytes += chunk.length
    if (bytes > most) return "too long"
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads the rest of a body for a moment and discards it. */
export async function discardRest(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  clock: Clock,
): Promise<void> {
  const late = new AbortController()
  const dropping = async () => {
    while (!late.signal.aborted && !(await reader.read()).done);
  }
  // A client that disconnected needs no answer.
  await Promise.race([dropping().catch(() => undefined), sleep(clock, droppingMs, late.signal)])
  late.abort()
}

function tooLarge(most: number): UserError {
  const advice = "send less at once, or use `reverie memory import` for many memories."
  return new UserError("too-large", `The request is larger than ${bytesText(most)}; ${advice}`)
}
