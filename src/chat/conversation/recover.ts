import type { ChatMessage } from "../channels/channel.ts"
import { setFlush } from "./messages/buffer.ts"
import { markSeen, trimSeen } from "./messages/seen.ts"
import { receive } from "./receive.ts"
import { answerKind, retryBatch, runData, startRun } from "./run.ts"
import { checkIfSent } from "./sent.ts"
import type { RunState } from "./state.ts"
import { change, idsOf, isAnswer, journal, type Step, skipMessages } from "./step.ts"

/** Missed messages older than this are not answered. */
const oldestMissedMs = 6 * 3_600_000
/** A run that makes the conversation fail is started at most this often. */
const maxRestarts = 3
/** A process may die for other reasons, so an answer may be started more often across processes. */
const maxProcessRestarts = 10

/** Continues after a restart: restarts an interrupted run, or checks whether its message was sent. */
export function restart(step: Step, reason: string, isNewProcess: boolean) {
  clampTimes(step)
  const { run } = step.state
  if (run === null) return
  if (run.phase === "sending" || run.phase === "checking") {
    const outgoing = run.outgoing && { ...run.outgoing, mayRepeat: isNewProcess }
    return checkIfSent(step, { ...run, outgoing }, reason)
  }
  if (isAnswer(run.kind))
    return retryAnswer(step, run, reason, isNewProcess ? maxProcessRestarts : maxRestarts)
  journal(step, "chat.recovered", `${reason} Its messages are read with the next batch.`, runData(run))
  retryBatch(step, run, reason, true)
}

/** Corrects times after the clock was set back, so that nothing waits too long. */
function clampTimes(step: Step) {
  const { at, settings, state } = step
  const { active, aside, flushAt } = state
  const isLate = aside.some(({ since }) => since > at)
  if (isLate) change(step, { aside: aside.map((one) => ({ ...one, since: Math.min(one.since, at) })) })
  if (active && active.since > at) change(step, { active: { ...active, since: at } })
  if (flushAt !== null && flushAt > at + 2 * Math.max(settings.flushIntervalMs, settings.cooldownMs)) {
    change(step, { flushAt: null })
    setFlush(step)
  }
}

function retryAnswer(step: Step, run: RunState, reason: string, most: number) {
  const { messages, direct, omitted, background } = run
  const kind = answerKind(run)
  change(step, { run: null })
  if (run.attempt >= most) {
    journal(step, "chat.failed", `${reason} It was started too often.`, runData(run))
    skipMessages(step, idsOf(messages), "It could not be answered.")
    return
  }
  journal(step, "chat.recovered", `${reason} It is answered now.`, runData(run))
  startRun(step, { kind, messages, direct, omitted, background, attempt: run.attempt + 1 })
}

/** Receives missed messages: those that address us are answered, the rest is one batch. */
export function receiveMissed(step: Step, missed: readonly ChatMessage[], isOpen: boolean) {
  for (const message of missed) {
    if (step.at - message.at <= oldestMissedMs) receive(step, message)
    else if (markSeen(step, message.id)) {
      skipMessages(step, [message.id], "It was sent more than 6 h ago, while the bot was offline.")
    }
  }
  change(step, { gapAfter: isOpen ? (missed.at(-1)?.id ?? step.state.gapAfter) : null })
  trimSeen(step)
}
