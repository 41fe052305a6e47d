import type { Clock } from "../base/clock.ts"
import { messageOf, UserError } from "../base/errors.ts"
import type { Embedded, Embedder } from "./embedder.ts"
import { wrapEmbedder } from "./wrap-embedder.ts"

/** The pause after a failure; it doubles with each further one, up to the longest. */
const firstRestMs = 30_000
const longestRestMs = 10 * 60_000

/**
 * Wraps an embedder that may fail. Vectors that cannot be compared with the stored ones count as a failure. During the
 * pause after a failure every call fails at once with the same error.
 */
export function guardEmbedder(
  {
    clock,
    storedLength,
  }: {
    clock: Clock
    /** The length of the stored vectors of a model; undefined while there are none. */
    storedLength?: ((model: string) => Promise<number | undefined>) | undefined
  },
  embedder: Embedder,
): Embedder {
  let failure: { error: UserError; retryAt: number; restMs: number } | undefined
  let length: number | undefined

  async function embedChecked(...call: Parameters<Embedder["embed"]>): Promise<Embedded[]> {
    const results = await embedder.embed(...call)
    length ??= await storedLength?.(embedder.model)
    const expected = length ?? results[0]?.vector.length
    const [texts] = call
    if (results.length !== texts.length)
      throw unusable(`it gave ${results.length} vectors for ${texts.length} texts`)
    for (const { vector } of results) {
      const wrong = wrongWith(vector, expected)
      if (wrong) throw unusable(wrong)
    }
    length = expected
    return results
  }

  function noteFailure(error: unknown): UserError {
    const userError =
      error instanceof UserError
        ? error
        : new UserError("failed", `The embedder could not be used: ${messageOf(error)}.`, { cause: error })
    const now = clock.now()
    // Calls that were in progress fail together; that is one failure.
    if (failure && now < failure.retryAt) return userError
    const restMs = failure ? Math.min(2 * failure.restMs, longestRestMs) : firstRestMs
    failure = { error: userError, retryAt: now + restMs, restMs }
    return userError
  }

  return wrapEmbedder(embedder, {
    async embed(texts, options) {
      if (failure && clock.now() < failure.retryAt) throw failure.error
      if (texts.length === 0) return []
      try {
        const results = await embedChecked(texts, options)
        failure = undefined
        return results
      } catch (error) {
        throw noteFailure(error)
      }
    },
    status() {
      const status = embedder.status()
      if (failure === undefined) return status
      return { ...status, state: "failed", reason: failure.error.message, retryAt: failure.retryAt }
    },
  })
}

/** Why a vector cannot be used, or undefined if it can. */
function wrongWith(vector: Float32Array, length: number | undefined): string | undefined {
  if (length !== undefined && vector.length !== length)
    return `it gives vectors of ${vector.length} numbers, but the stored ones have ${length}`
  if (vector.some((value) => !Number.isFinite(value))) return "it gave a vector that is not made of numbers"
  if (!vector.some((value) => value !== 0)) return "it gave a vector of zeros"
  return undefined
}

function unusable(reason: string): UserError {
  const advice = "check embedding.remote_model, or choose another embedding.model."
  return new UserError("failed", `The embedder could not be used: ${reason}; ${advice}`)
}
