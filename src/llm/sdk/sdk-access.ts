import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider"
import type { Clock } from "../../base/clock.ts"
import {
  type AccessId,
  type Answer,
  failedAnswer,
  type ModelAccess,
  type Question,
} from "../choice/access.ts"
import type { Failure } from "../failure.ts"
import type { LimitReading } from "../limits/limit-reading.ts"
import { readHeaders } from "../limits/read-headers.ts"
import { timeoutFailure, toFailure, unreadable } from "./failure.ts"
import { type PromptOptions, toPrompt, toTools } from "./prompt.ts"
import { finishOf, type Received, readStream } from "./read-stream.ts"

/** One provider of the AI SDK, ready for one call. */
export interface Prepared {
  /** Loaded on first use: each provider is much code, and most processes ask none. */
  load(): Promise<LanguageModelV4>
  prompt?: PromptOptions
  options?: Partial<LanguageModelV4CallOptions>
}

/** What every access over HTTP shares. */
export interface HttpOptions {
  clock: Clock
  fetch: typeof fetch
  /** A call is cancelled after this long without a part of the answer. */
  silenceMs: number
}

/** One provider over HTTP. */
interface SdkProvider extends HttpOptions {
  id: AccessId
  /** The server's name for people. */
  name: string
  /** Collects keys and tokens; a failure if there are none. */
  prepare(question: Question): Promise<Prepared | Failure>
}

/** Asks over HTTP with the AI SDK. Never retries: the caller decides. */
export function createSdkAccess(needs: SdkProvider): ModelAccess {
  return {
    id: needs.id,
    async ask(question) {
      const prepared = await needs.prepare(question)
      return "load" in prepared ? await call(needs, prepared, question) : failedAnswer(prepared)
    },
  }
}

async function call(needs: SdkProvider, prepared: Prepared, question: Question): Promise<Answer> {
  const asked = { access: needs.id, name: needs.name, model: question.model, now: needs.clock.now() }
  const watch = watchSilence(needs, question.signal)
  let readings: LimitReading[] = []
  try {
    const model = await prepared.load()
    const { stream, response } = await model.doStream({
      prompt: toPrompt(question, prepared.prompt),
      ...(prepared.prompt?.noOutputLimit ? {} : { maxOutputTokens: question.maxOutputTokens }),
      abortSignal: watch.signal,
      ...toolOptions(question),
      ...prepared.options,
    })
    readings = readHeaders(response?.headers ?? {}, needs.clock.now())
    const received = await readStream(stream, watch.onPart)
    if (watch.signal.aborted) return failedAnswer(stopped(), received.spent, readings)
    if (received.error !== undefined)
      return failedAnswer(toFailure(received.error, asked), received.spent, readings)
    return toAnswer(received, asked, readings)
  } catch (error) {
    if (watch.signal.aborted) return failedAnswer(stopped(), null, readings)
    return failedAnswer(toFailure(error, asked), null, [...readings, ...headersOf(error, needs.clock.now())])
  } finally {
    watch.end()
  }

  function stopped(): Failure {
    if (!question.signal.aborted) return timeoutFailure(asked)
    return { kind: "aborted", message: "The call was cancelled." }
  }
}

function toolOptions({ tools, toolChoice }: Question): Partial<LanguageModelV4CallOptions> {
  if (tools.length === 0) return {}
  return { tools: toTools(tools), toolChoice: { type: toolChoice } }
}

function toAnswer(
  received: Received,
  asked: Parameters<typeof unreadable>[0],
  readings: LimitReading[],
): Answer {
  const finish = finishOf(received)
  const { text, calls, native, model } = received
  if (finish === undefined) return failedAnswer(unreadable(asked, "it was cut off"), received.spent, readings)
  if (text.trim() === "" && calls.length === 0 && finish === "stop") {
    const message = `${asked.name} gave an empty answer.`
    return failedAnswer({ kind: "empty", message }, received.spent, readings)
  }
  const spent = received.spent ?? { input: 0, cachedInput: 0, output: 0, costUsd: null }
  return { outcome: "answered", text, calls, finish, native, spent, model: model ?? asked.model, readings }
}

function headersOf(error: unknown, now: number): LimitReading[] {
  if (typeof error !== "object" || error === null || !("responseHeaders" in error)) return []
  return readHeaders((error.responseHeaders ?? {}) as Record<string, string>, now)
}

/** Aborts when the caller does, or after too long without a part of the answer. */
function watchSilence({ clock, silenceMs }: HttpOptions, outer: AbortSignal) {
  const silence = new AbortController()
  const start = () => clock.after(silenceMs, () => silence.abort(new Error("silence")))
  let cancel = start()
  return {
    signal: AbortSignal.any([outer, silence.signal]),
    onPart() {
      cancel()
      cancel = start()
    },
    end: () => cancel(),
  }
}
