import { messageOf } from "../base/errors.ts"
import type { RecallCore } from "./core.ts"
import { packVector, type RecallState, unpackVector } from "./session/session-state.ts"
import { type RecentTopic, topicWindow } from "./topic.ts"

/** Characters of a prompt that are stored and embedded to find the topic. */
const longestPrompt = 1000

/** The topic of the latest prompts, with their vectors if they are of the current model. */
export function topicOf({ embedder }: RecallCore, state: RecallState): RecentTopic {
  const { prompts, vectors, model, wasAsked } = state
  const isOurs = embedder !== undefined && model === embedder.model
  return { texts: prompts, vectors: isOurs ? vectors.map(unpackVector) : [], wasAsked }
}

/** Adds prompts to the topic. */
export function recordPrompts(
  { embedder }: RecallCore,
  state: RecallState,
  texts: readonly string[],
  vector: Float32Array | undefined,
): void {
  const cut = texts.map((text) => text.slice(0, longestPrompt))
  state.prompts = [...state.prompts, ...cut].slice(-topicWindow)
  state.wasAsked = false
  if (vector === undefined || embedder === undefined) return
  const known = state.model === embedder.model ? state.vectors : []
  state.vectors = [...known, packVector(vector)].slice(-topicWindow)
  state.model = embedder.model
}

/** A prompt's vector; undefined without an embedder, or if it fails. */
export async function embedPrompt(
  { embedder, log }: RecallCore,
  text: string,
): Promise<Float32Array | undefined> {
  try {
    const [embedded] = (await embedder?.embed([text.slice(0, longestPrompt)], { urgent: true })) ?? []
    return embedded?.vector
  } catch (error) {
    log.warn("The topic is found by words only", { reason: messageOf(error) })
    return undefined
  }
}
