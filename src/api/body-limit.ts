import type { MiddlewareHandler } from "hono"
import { type Clock, sleep } from "../base/clock.ts"
import { UserError } from "../base/errors.ts"
import type { Log } from "../base/log.ts"
import { bytesText } from "../base/text/text.ts"
import { answerFailure } from "./answers/answer.ts"

/** More than any request of ours has to say. */
const usualBytes = 4_000_000
/** More than any tool hands its hooks, short of a file dump that is not worth the time. */
const hookBytes = 32_000_000
/** So long the rest of a body that is too long is read and dropped: who is cut off while they send sees no answer. */
const droppingMs = 1000

/** Answers a body that is too long with 413, before it is held in memory. Only an import may go on for ever. */
export function limitBodies({ log, clock }: { log: Log; clock: Clock }): MiddlewareHandler {
  return async (context, next) => {
    const { path, raw } = context.req
    // Its lines are limited one by one.
    if (raw.body === null || path === "/v1/memories/import") return next()
    const most = path.startsWith("/v1/hooks/") ? hookBytes : usualBytes
    const said = raw.headers.get("content-length")
    const body = said === null ? await readUpTo(raw.body, most) : undefined
    if (body === "too long" || Number(said) > most) {
      await dropRest(raw.body.getReader(), clock)
      return answerFailure(context, tooLarge(most), log)
    }
    if (body) context.req.raw = new Request(raw, { body })
    return next()
  }
}

/** A body of unknown length, as far as it is not longer than that. */
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

/** Reads what is left of a body for a moment, and drops it. */
export async function dropRest(reader: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): Promise<void> {
  const late = new AbortController()
  const dropping = async () => {
    while (!late.signal.aborted && !(await reader.read()).done);
  }
  // Whoever went away in the middle needs no answer.
  await Promise.race([dropping().catch(() => undefined), sleep(clock, droppingMs, late.signal)])
  late.abort()
}

function tooLarge(most: number): UserError {
  const advice = "send less at once, or use `reverie memory import` for many memories."
  return new UserError("too-large", `The request is larger than ${bytesText(most)}; ${advice}`)
}
