import { cleanForSending } from "../silence/clean.ts"
import { type Decision, resolveSilence } from "../silence/decision.ts"
import type { RunOutcome } from "./event.ts"
import { answerKind, finishRun, retryBatch, runData, startRun } from "./run.ts"
import { sendOutgoing } from "./sent.ts"
import type { PendingSend, RunState } from "./state.ts"
import { change, idsOf, isAnswer, journal, type Step, skipMessages } from "./step.ts"

/** A model is asked at most this often for the same answer. */
const maxAttempts = 2
/** A room gets the sentence that no answer can be given at most once in this time. */
const unavailableReplyEveryMs = 600_000

/** The reply to users who addressed us when no model can be asked. @internal */
export const unavailableReply = "Sorry, I cannot answer just now. Please ask me again later."

/** Handles the result of a run. Results of earlier runs are ignored. */
export function runEnded(step: Step, id: string, result: RunOutcome) {
  const { run } = step.state
  if (run?.id !== id || (run.phase !== "thinking" && run.phase !== "waiting")) return
  switch (result.outcome) {
    case "decided":
      return decided(step, run, resolveSilence(result.decision), result)
    case "failed":
      return failed(step, run, result.reason, result.mayRetry)
  }
}

/** Fails a run that took too long; an answer is not tried again. */
export function runTimedOut(step: Step, run: RunState) {
  const reason = "The model took longer than chat.ambient.flush_timeout_seconds."
  failed(step, run, reason, !isAnswer(run.kind))
}

function decided(
  step: Step,
  run: RunState,
  decision: Decision,
  { usd, debug }: Extract<RunOutcome, { outcome: "decided" }>,
) {
  const data = { ...runData(run), usd, ...(debug ? { debug } : {}) }
  switch (decision.action) {
    case "reply": {
      const unasked = step.settings.policy.speaksUnasked
      if (!isAnswer(run.kind) && !unasked.allowed) return staySilent(step, run, unasked.reason, data)
      const to = decision.replyTo ?? (isAnswer(run.kind) ? (run.messages.at(-1)?.id ?? null) : null)
      const text = cleanForSending(decision.text)
      const { reason, attachment } = decision
      const attached = attachment === undefined ? {} : { attachment }
      return sendDecision(step, run, { action: "reply", text, to, reason, isRegret: false, ...attached })
    }
    case "react": {
      const to = decision.to ?? run.messages.at(-1)?.id
      if (to === undefined) return staySilent(step, run, "There was no message to react to.", data)
      return sendDecision(step, run, {
        action: "react",
        text: decision.emoji,
        to,
        reason: decision.reason,
        isRegret: false,
      })
    }
    case "hold":
      change(step, { held: { text: decision.text, reason: decision.reason, at: step.at } })
      journal(step, "chat.held", decision.reason, data)
      return finishRun(step, run)
    case "silent":
      return staySilent(step, run, decision.reason, data)
  }
}

function staySilent(step: Step, run: RunState, reason: string, data: Record<string, unknown>) {
  journal(step, "chat.silenced", reason, data)
  finishRun(step, run)
}

/** Sends what the model decided; the state is stored before it leaves. */
function sendDecision(step: Step, run: RunState, words: Omit<PendingSend, "key" | "hasWaited">) {
  sendOutgoing(step, { ...run, outgoing: { ...words, key: run.id, hasWaited: false } })
}

function failed(step: Step, run: RunState, reason: string, mayRetry: boolean) {
  journal(step, "chat.failed", reason, { ...runData(run), attempt: run.attempt })
  step.effects.push({ kind: "abort-run", run: run.id, reason })
  if (isAnswer(run.kind)) return failedAnswer(step, run, reason, mayRetry)
  retryBatch(step, run, reason, mayRetry)
}

function failedAnswer(step: Step, run: RunState, reason: string, mayRetry: boolean) {
  if (mayRetry && run.attempt < maxAttempts) {
    const { messages, direct, omitted, background } = run
    const kind = answerKind(run)
    return startRun(step, { kind, messages, direct, omitted, background, attempt: run.attempt + 1 })
  }
  const { regrettedAt } = step.state
  if (regrettedAt !== null && Math.abs(step.at - regrettedAt) < unavailableReplyEveryMs) {
    skipMessages(step, idsOf(run.messages), reason)
    return finishRun(step, run)
  }
  change(step, { regrettedAt: step.at })
  sendDecision(step, run, {
    action: "reply",
    text: unavailableReply,
    to: run.messages.at(-1)?.id ?? null,
    reason,
    isRegret: true,
  })
}
