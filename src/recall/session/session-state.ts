import { z } from "zod"
import { contentKey, type Memory } from "../../memory/model/memory.ts"

const prepared = z.object({
  id: z.string(),
  score: z.number(),
  via: z.array(z.string()),
  /** The key of the text it had then: what says something else by now is not brought up. */
  key: z.string(),
  /** The number of the look that found it. */
  look: z.number(),
})

/** A memory that waits to be brought up, without a word of it: only the memory itself is stored. */
export type Prepared = z.infer<typeof prepared>

/** A memory as it waits to be brought up. */
export function toPrepared(memory: Memory, score: number, via: readonly string[], look: number): Prepared {
  return { id: memory.id, score, via: [...via], key: contentKey(memory.content), look }
}

/** What recall knows of a session; everything it needs to go on after a restart, and nothing secret. */
const stateSchema = z.object({
  /** Prompts so far, and since what was surfaced was last forgotten. */
  turns: z.number().default(0),
  sinceReset: z.number().default(0),
  /** How often memory was looked at. */
  looks: z.number().default(0),
  /** The turn at which a model was last asked. */
  judgedAt: z.number().nullable().default(null),
  /** Ids of what was brought up and not to be repeated. */
  surfaced: z.array(z.string()).default([]),
  /** Those of them that were told at the start only: their own words may still bring them up once. */
  told: z.array(z.string()).default([]),
  prepared: z.array(prepared).default([]),
  /** The latest prompts, newest last, without secrets and cut. */
  prompts: z.array(z.string()).default([]),
  /** Their vectors, where there are any, each number as a byte. */
  vectors: z.array(z.string()).default([]),
  /** The model that the vectors are of. */
  model: z.string().nullable().default(null),
  /** Whether the agent's last words ask something. */
  wasAsked: z.boolean().default(false),
  /** It was shortened or resumed: what was learned in it is no longer before the agent's eyes. */
  wasShortened: z.boolean().default(false),
})

export type RecallState = z.infer<typeof stateSchema>

/** The state of a session that nobody heard of. */
export function newState(): RecallState {
  return stateSchema.parse({})
}

/** Reads a stored state; what cannot be read is a new one. */
export function readState(text: string): RecallState {
  try {
    return stateSchema.parse(JSON.parse(text))
  } catch {
    return newState()
  }
}

/** A state as it is stored. */
export function writeState(state: RecallState): string {
  return JSON.stringify({ ...state, prepared: state.prepared.map(withoutWords) })
}

/** A memory that waits, without the words it was found by: what is purged must be gone everywhere. */
export function withoutWords(memory: Prepared): Prepared {
  return { ...memory, via: memory.via.map((step) => step.split(" ", 1)[0] ?? "") }
}

/** Two states of one session that two programs kept: nothing is surfaced twice, nothing prepared is lost. */
export function joinStates(ours: RecallState, theirs: RecallState): RecallState {
  const surfaced = [...new Set([...theirs.surfaced, ...ours.surfaced])]
  const known = new Set([...surfaced, ...ours.prepared.map(({ id }) => id)])
  return {
    ...ours,
    turns: Math.max(ours.turns, theirs.turns),
    looks: Math.max(ours.looks, theirs.looks),
    surfaced,
    prepared: [
      ...ours.prepared.filter(({ id }) => !surfaced.includes(id)),
      ...theirs.prepared.filter(({ id }) => !known.has(id)),
    ],
  }
}

/** A vector of unit length as text, a byte for each number. */
export function packVector(vector: Float32Array): string {
  return Buffer.from(Int8Array.from(vector, (value) => Math.round(value * 127)).buffer).toString("base64")
}

/** The same, near enough. */
export function unpackVector(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64")
  return Float32Array.from(
    new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length),
    (value) => value / 127,
  )
}
