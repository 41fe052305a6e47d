import { cleanForSending } from "../silence/clean.ts"
import { type Decision, sober } from "../silence/decision.ts"
import type { RunOutcome } from "./event.ts"
import { unreadAgain } from "./messages/buffer.ts"
import { answerKind, finishRun, startRun, takeBack, told } from "./run.ts"
import { letOut } from "./sent.ts"
import type { Outgoing, RunState } from "./state.ts"
import { change, idsOf, isAnswer, putAside, type Step, tell } from "./step.ts"

/** How often a model is asked for the same answer. */
const mostAttempts = 2
/** How often people are told that no answer can be given. */
const regretEveryMs = 600_000

/** The sentence for whoever addressed us when no model can be asked. @internal */
export const regret = "Sorry, I cannot answer just now. Please ask me again later."

/** A model was asked, and this is what came of it. What an earlier run says is not listened to. */
export function runEnded(step: Step, id: string, result: RunOutcome) {
  const { run } = step.state
  if (run?.id !== id || (run.phase !== "thinking" && run.phase !== "waiting")) return
  switch (result.outcome) {
    case "decided":
      return decided(step, run, sober(result.decision), result)
    case "failed":
      return failed(step, run, result.reason, result.mayRetry)
    case "timed out":
      return failed(
        step,
        run,
        "The model took longer than chat.ambient.flush_timeout_seconds.",
        !isAnswer(run.kind),
      )
    case "aborted":
      return takeBack(step, run, result.reason)
  }
}

function decided(
  step: Step,
  run: RunState,
  decision: Decision,
  { usd, debug }: Extract<RunOutcome, { outcome: "decided" }>,
) {
  const data = { ...told(run), usd, ...(debug ? { debug } : {}) }
  switch (decision.action) {
    case "reply": {
      const { is, why } = maySpeak(step, run)
      if (!is) return stayed(step, run, why, data)
      const to = decision.replyTo ?? (isAnswer(run.kind) ? (run.messages.at(-1)?.id ?? null) : null)
      const text = cleanForSending(decision.text)
      const { reason, attachment } = decision
      const attached = attachment === undefined ? {} : { attachment }
      return say(step, run, { action: "reply", text, to, reason, isRegret: false, ...attached })
    }
    case "react": {
      const to = decision.to ?? run.messages.at(-1)?.id
      if (to === undefined) return stayed(step, run, "There was no message to react to.", data)
      return say(step, run, {
        action: "react",
        text: decision.emoji,
        to,
        reason: decision.reason,
        isRegret: false,
      })
    }
    case "hold":
      change(step, { held: { text: decision.text, reason: decision.reason, at: step.at } })
      tell(step, "chat.held", decision.reason, data)
      return finishRun(step, run)
    case "silent":
      return stayed(step, run, decision.reason, data)
  }
}

function maySpeak({ settings: { policy } }: Step, { kind }: RunState): { is: boolean; why: string } {
  if (isAnswer(kind)) return { is: true, why: "" }
  return policy.speaksUnasked
}

function stayed(step: Step, run: RunState, reason: string, data: Record<string, unknown>) {
  tell(step, "chat.silenced", reason, data)
  finishRun(step, run)
}

/** Hands words over to the outbound gate; the state is stored before they leave. */
function say(step: Step, run: RunState, words: Omit<Outgoing, "key" | "hasWaited">) {
  letOut(step, { ...run, outgoing: { ...words, key: run.id, hasWaited: false } })
}

function failed(step: Step, run: RunState, reason: string, mayRetry: boolean) {
  tell(step, "chat.failed", reason, { ...told(run), attempt: run.attempt })
  step.effects.push({ kind: "abort-run", run: run.id, reason })
  if (isAnswer(run.kind)) return failedAnswer(step, run, reason, mayRetry)
  const isSecond = (id: string) => !mayRetry || run.kept.includes(id)
  const gone = run.messages.filter(({ id }) => isSecond(id))
  const again = run.messages.filter(({ id }) => !isSecond(id))
  finishRun(step, { ...run, messages: [], background: [] })
  putAside(step, idsOf(gone), mayRetry ? `It failed twice. ${reason}` : reason)
  unreadAgain(step, again, run.omitted, idsOf(again))
}

function failedAnswer(step: Step, run: RunState, reason: string, mayRetry: boolean) {
  if (mayRetry && run.attempt < mostAttempts) {
    const { messages, direct, omitted, background } = run
    const kind = answerKind(run)
    return startRun(step, { kind, messages, direct, omitted, background, attempt: run.attempt + 1 })
  }
  const { regrettedAt } = step.state
  if (regrettedAt !== null && Math.abs(step.at - regrettedAt) < regretEveryMs) {
    putAside(step, idsOf(run.messages), reason)
    return finishRun(step, run)
  }
  change(step, { regrettedAt: step.at })
  say(step, run, {
    action: "reply",
    text: regret,
    to: run.messages.at(-1)?.id ?? null,
    reason,
    isRegret: true,
  })
}
