import type { accessNames } from "../../config/settings/models.ts"
import type { Failure } from "../failure.ts"
import type { LimitReading } from "../limits/limit-reading.ts"

/** One of the ways by which a model can be asked. */
export type AccessId = (typeof accessNames)[number]

/** One model a call may go to, by one way. */
export interface ModelRef {
  access: AccessId
  model: string
}

/** What was said so far, as every kind of access understands it. */
export type Message =
  | { role: "user"; text: string }
  | {
      role: "assistant"
      text: string
      calls: readonly ToolCall[]
      /** The provider's own form of this turn (signed thoughts and the like), for the access that gave it. */
      native?: unknown
    }
  | { role: "tool"; results: readonly ToolResult[] }

/** A tool the model wants to have called. The input is what came over the wire: it may be anything. */
export interface ToolCall {
  id: string
  name: string
  input: unknown
}

/** What came of a tool call, as text for the model. */
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

/** One question to a model. */
export interface Question {
  model: string
  system: string
  messages: readonly Message[]
  tools: readonly ToolShape[]
  /** Whether tools may be called, must be called, or may not. */
  toolChoice: "auto" | "required" | "none"
  maxOutputTokens: number
  /** Aborting it ends the call at once; the answer is then a failure of the kind "aborted". */
  signal: AbortSignal
}

/** What a call used. Cached input is part of input. */
export interface Spent {
  input: number
  cachedInput: number
  output: number
  /** In US dollars where the provider tells; null where only the tokens are known. */
  costUsd: number | null
}

/** Why the model stopped. */
export type Finish = "stop" | "calls" | "length" | "filtered"

/** What came of a question. Failures are answers too: asking never throws for what a provider does. */
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

/** An answer that is none. */
export function failedAnswer(
  failure: Failure,
  spent: Spent | null = null,
  readings: readonly LimitReading[] = [],
): Answer {
  return { outcome: "failed", failure, spent, readings }
}

/** One way to ask models: an HTTP API, or a program of the user's own. */
export interface ModelAccess {
  readonly id: AccessId
  ask(question: Question): Promise<Answer>
}
