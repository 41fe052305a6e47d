import { z } from "zod"
import { tryParseJson } from "../../base/text/json.ts"
import { contentKey, type Memory } from "../../memory/model/memory.ts"

const prepared = z.object({
  id: z.string(),
  score: z.number(),
  via: z.array(z.string()),
  /** The key of its text: a memory whose text has changed since is not brought up. */
  key: z.string(),
  /** The number of the search that found it. */
  look: z.number(),
})

/** A memory that waits to be brought up, without its text. */
export type Prepared = z.infer<typeof prepared>

export function toPrepared(memory: Memory, score: number, via: readonly string[], look: number): Prepared {
  return { id: memory.id, score, via: [...via], key: contentKey(memory.content), look }
}

/** Whether a memory was found by one of its triggers. */
export function isTriggered(via: readonly string[]): boolean {
  return via.some((step) => step.startsWith("trigger"))
}

/** What recall stores about a session. It contains no secrets. */
const stateSchema = z.object({
  /** Prompts so far, and since `surfaced` was last cleared. */
  turns: z.number().default(0),
  sinceReset: z.number().default(0),
  /** Searches so far. */
  looks: z.number().default(0),
  /** The turn at which a model was last asked. */
  judgedAt: z.number().nullable().default(null),
  /** Ids of memories that were brought up and are not repeated. */
  surfaced: z.array(z.string()).default([]),
  /** Those of them from the session's start: their triggers may bring them up once more. */
  told: z.array(z.string()).default([]),
  prepared: z.array(prepared).default([]),
  /** The latest prompts, newest last, without secrets and cut. */
  prompts: z.array(z.string()).default([]),
  /** Their vectors, if any, one byte per number. */
  vectors: z.array(z.string()).default([]),
  /** The model that the vectors are of. */
  model: z.string().nullable().default(null),
  /** Whether the agent's last output ends with a question. */
  wasAsked: z.boolean().default(false),
  /** The context was shortened or cleared: the agent no longer sees what was learned in this session. */
  wasShortened: z.boolean().default(false),
})

export type RecallState = z.infer<typeof stateSchema>

export function newState(): RecallState {
  return stateSchema.parse({})
}

/** Parses a stored state; returns a new one if it is invalid. */
export function readState(text: string): RecallState {
  return stateSchema.safeParse(tryParseJson(text)).data ?? newState()
}

export function writeState(state: RecallState): string {
  return JSON.stringify({ ...state, prepared: state.prepared.map(withoutWords) })
}

/** Without the words it was found by: a purge must leave none of them. */
export function withoutWords(memory: Prepared): Prepared {
  return { ...memory, via: memory.via.map((step) => step.split(" ", 1)[0] ?? "") }
}

/** Merges the states that two programs saved for one session: nothing is surfaced twice, nothing prepared is lost. */
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

/** A unit vector as text, one byte per number. */
export function packVector(vector: Float32Array): string {
  return Buffer.from(Int8Array.from(vector, (value) => Math.round(value * 127)).buffer).toString("base64")
}

export function unpackVector(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64")
  return Float32Array.from(
    new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length),
    (value) => value / 127,
  )
}
