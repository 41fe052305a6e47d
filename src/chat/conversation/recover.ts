import type { ChatMessage } from "../channels/channel.ts"
import { setFlush, unreadAgain } from "./messages/buffer.ts"
import { noteSeen, trimSeen } from "./messages/seen.ts"
import { receive } from "./receive.ts"
import { answerKind, finishRun, startRun, told } from "./run.ts"
import { lookForIt } from "./sent.ts"
import type { RunState } from "./state.ts"
import { change, idsOf, isAnswer, putAside, type Step, tell } from "./step.ts"

/** What was said longer ago than this while we were away is not answered any more. */
const oldestMissedMs = 6 * 3_600_000
/** A run that takes the conversation down each time is not begun again and again. */
const mostStarts = 3
/** A process dies for many reasons: an answer is tried more often before it is held to be the cause. */
const mostProcesses = 10

/** Goes on after a restart: a run that was under way is begun again, words that may have left are looked for. */
export function restart(step: Step, reason: string, isNewProcess: boolean) {
  settleTimes(step)
  const { run } = step.state
  if (run === null) return
  if (run.phase === "sending" || run.phase === "checking") {
    const outgoing = run.outgoing && { ...run.outgoing, mayRepeat: isNewProcess }
    return lookForIt(step, { ...run, outgoing }, reason)
  }
  if (isAnswer(run.kind)) return answerAgain(step, run, reason, isNewProcess ? mostProcesses : mostStarts)
  tell(step, "chat.recovered", `${reason} What was to be read is read with the next batch.`, told(run))
  const again = run.messages.filter(({ id }) => !run.kept.includes(id))
  const gone = run.messages.filter(({ id }) => run.kept.includes(id))
  finishRun(step, { ...run, messages: [], background: [] })
  putAside(step, idsOf(gone), `It failed twice. ${reason}`)
  unreadAgain(step, again, run.omitted, idsOf(again))
}

/** The clock may have been set back since: nothing waits for a time that is too far away. */
function settleTimes(step: Step) {
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

function answerAgain(step: Step, run: RunState, reason: string, most: number) {
  const { messages, direct, omitted, background } = run
  const kind = answerKind(run)
  change(step, { run: null })
  if (run.attempt >= most) {
    tell(step, "chat.failed", `${reason} It was begun too often.`, told(run))
    putAside(step, idsOf(messages), "It could not be answered.")
    return
  }
  tell(step, "chat.recovered", `${reason} It is answered now.`, told(run))
  startRun(step, { kind, messages, direct, omitted, background, attempt: run.attempt + 1 })
}

/** Takes in what was said while we were away: who addressed us is answered, the rest is one batch. */
export function catchUp(step: Step, missed: readonly ChatMessage[], isOpen: boolean) {
  for (const message of missed) {
    if (step.at - message.at <= oldestMissedMs) receive(step, message)
    else if (noteSeen(step, message.id)) {
      putAside(step, [message.id], "It was said more than 6 h ago, while we were away.")
    }
  }
  change(step, { gapAfter: isOpen ? (missed.at(-1)?.id ?? step.state.gapAfter) : null })
  trimSeen(step)
}
