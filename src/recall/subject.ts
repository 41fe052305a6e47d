import { messageOf } from "../base/errors.ts"
import type { RecallCore } from "./core.ts"
import { packVector, type RecallState, unpackVector } from "./session/session-state.ts"
import { type TopicSoFar, topicWindow } from "./topic.ts"

/** Prompts are kept to know what the talk is about; more of one than this is not needed for that. */
const longestPrompt = 1000

/** What was talked about so far, as far as vectors of this model tell. */
export function topicOf({ embedder }: RecallCore, state: RecallState): TopicSoFar {
  const { prompts, vectors, model, wasAsked } = state
  const isOurs = embedder !== undefined && model === embedder.model
  return { texts: prompts, vectors: isOurs ? vectors.map(unpackVector) : [], wasAsked }
}

/** Notes what was said. */
export function noteSaid(
  { embedder }: RecallCore,
  state: RecallState,
  texts: readonly string[],
  vector: Float32Array | undefined,
): void {
  const said = texts.map((text) => text.slice(0, longestPrompt))
  state.prompts = [...state.prompts, ...said].slice(-topicWindow)
  state.wasAsked = false
  if (vector === undefined || embedder === undefined) return
  const known = state.model === embedder.model ? state.vectors : []
  state.vectors = [...known, packVector(vector)].slice(-topicWindow)
  state.model = embedder.model
}

/** A prompt's vector; undefined where there is no embedder or it fails. */
export async function embedPrompt(
  { embedder, log }: RecallCore,
  text: string,
): Promise<Float32Array | undefined> {
  try {
    const [embedded] = (await embedder?.embed([text.slice(0, longestPrompt)], { urgent: true })) ?? []
    return embedded?.vector
  } catch (error) {
    log.warn("What is talked about is known by words only", { reason: messageOf(error) })
    return undefined
  }
}
