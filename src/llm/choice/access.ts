import type { accessNames } from "../../config/settings/models.ts"
import type { Failure } from "../failure.ts"
import type { LimitReading } from "../limits/limit-reading.ts"

export type AccessId = (typeof accessNames)[number]

export interface ModelRef {
  access: AccessId
  model: string
}

/** A message of a conversation, in the form that all accesses share. */
export type Message =
  | { role: "user"; text: string }
  | {
      role: "assistant"
      text: string
      calls: readonly ToolCall[]
      /** The provider's own form of this turn, such as signed reasoning, for the access that produced it. */
      native?: unknown
    }
  | { role: "tool"; results: readonly ToolResult[] }

/** A tool call by the model. The input is unchecked. */
export interface ToolCall {
  id: string
  name: string
  input: unknown
}

/** The result of a tool call, as text for the model. */
export interface ToolResult {
  callId: string
  name: string
  text: string
  isError: boolean
}

/** A tool as the model sees it. */
export interface ToolShape {
  name: string
  description: string
  /** JSON Schema of an object. */
  schema: Record<string, unknown>
}

/** One request to a model. */
export interface Question {
  model: string
  system: string
  messages: readonly Message[]
  tools: readonly ToolShape[]
  toolChoice: "auto" | "required" | "none"
  maxOutputTokens: number
  /** Aborting it ends the call at once. The answer is then a failure of kind "aborted". */
  signal: AbortSignal
}

/** The tokens and cost of a call. Cached input is part of input. */
export interface Spent {
  input: number
  cachedInput: number
  output: number
  /** In US dollars, if the provider reports it. */
  costUsd: number | null
}

export type Finish = "stop" | "calls" | "length" | "filtered"

/** The answer to a question. A failure is an answer too: nothing is thrown for a provider's errors. */
export type Answer =
  | {
      outcome: "answered"
      text: string
      calls: readonly ToolCall[]
      finish: Finish
      native?: unknown
      spent: Spent
      /** The model that answered, as the provider names it. */
      model: string
      readings: readonly LimitReading[]
    }
  | { outcome: "failed"; failure: Failure; spent: Spent | null; readings: readonly LimitReading[] }

export function failedAnswer(
  failure: Failure,
  spent: Spent | null = null,
  readings: readonly LimitReading[] = [],
): Answer {
  return { outcome: "failed", failure, spent, readings }
}

/** One way to ask models: an HTTP API, or one of the user's own programs. */
export interface ModelAccess {
  readonly id: AccessId
  ask(question: Question): Promise<Answer>
}
