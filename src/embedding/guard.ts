import type { Clock } from "../base/clock.ts"
import { messageOf, UserError } from "../base/errors.ts"
import { around } from "./around.ts"
import type { Embedded, Embedder } from "./embedder.ts"

/** After a failure it is not asked for this long; twice as long after each further one, up to the longest. */
const firstRestMs = 30_000
const longestRestMs = 10 * 60_000

/**
 * Stands before an embedder that may fail or talk nonsense: what could not be compared with the stored vectors is a
 * failure, and after a failure it is left alone for a while, so that nobody waits for it again and again.
 */
export function guardEmbedder(
  {
    clock,
    storedLength,
  }: {
    clock: Clock
    /** How long the stored vectors of this model are; undefined while there are none. */
    storedLength?: ((model: string) => Promise<number | undefined>) | undefined
  },
  embedder: Embedder,
): Embedder {
  let failure: { error: UserError; retryAt: number; restMs: number } | undefined
  let length: number | undefined

  async function ask(...given: Parameters<Embedder["embed"]>): Promise<Embedded[]> {
    const results = await embedder.embed(...given)
    length ??= await storedLength?.(embedder.model)
    const expected = length ?? results[0]?.vector.length
    const [texts] = given
    if (results.length !== texts.length)
      throw nonsense(`it gave ${results.length} vectors for ${texts.length} texts`)
    for (const { vector } of results) {
      const wrong = wrongWith(vector, expected)
      if (wrong) throw nonsense(wrong)
    }
    length = expected
    return results
  }

  function note(error: unknown): UserError {
    const told =
      error instanceof UserError
        ? error
        : new UserError("failed", `The embedder could not be used: ${messageOf(error)}.`, { cause: error })
    const now = clock.now()
    // Several that were on their way fail together; that is one failure.
    if (failure && now < failure.retryAt) return told
    const restMs = failure ? Math.min(2 * failure.restMs, longestRestMs) : firstRestMs
    failure = { error: told, retryAt: now + restMs, restMs }
    return told
  }

  return around(embedder, {
    async embed(texts, options) {
      if (failure && clock.now() < failure.retryAt) throw failure.error
      if (texts.length === 0) return []
      try {
        const results = await ask(texts, options)
        failure = undefined
        return results
      } catch (error) {
        throw note(error)
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

function nonsense(reason: string): UserError {
  const advice = "check embedding.remote_model, or choose another embedding.model."
  return new UserError("failed", `The embedder could not be used: ${reason}; ${advice}`)
}
