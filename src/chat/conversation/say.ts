import { cleanForSending } from "../silence/clean.ts"
import type { ConversationEvent } from "./event.ts"
import { sendOutgoing } from "./sent.ts"
import type { RunState } from "./state.ts"
import { change, journal, recordOwnPost, type Step } from "./step.ts"

/** Sends a post of our own, if the room is idle and the policy lets us start topics. */
export function sendOwnPost(step: Step, event: Extract<ConversationEvent, { kind: "say" }>): void {
  const { run: kind, key, text, replyTo, reason, attachment } = event
  const { state } = step
  const known = state.own?.find((one) => one.key === key)
  if (state.run?.outgoing?.key === key) return
  if (known && known.delivery.outcome !== "kept back") {
    step.effects.push({ kind: "own-ended", key, delivery: known.delivery })
    return
  }
  const kept = whyNot(step)
  if (kept !== undefined) {
    journal(step, "chat.dropped", kept, { kind, key })
    recordOwnPost(step, key, { outcome: "kept back", reason: kept })
    return
  }
  const runs = state.runs + 1
  const epoch = state.epoch + 1
  const outgoing = {
    ...{ key, action: "reply" as const, text: cleanForSending(text), to: replyTo, reason },
    ...{ isRegret: false, hasWaited: false },
    ...(attachment === undefined ? {} : { attachment }),
  }
  const run: RunState = {
    id: `${runs}-${step.at.toString(36)}`,
    ...{ kind, epoch, phase: "sending", attempt: 1, startedAt: step.at, deadline: null },
    ...{ messages: [], omitted: 0, background: [], kept: [], outgoing },
  }
  change(step, { run, runs, epoch })
  sendOutgoing(step, run)
}

/** Why the post cannot be sent now: it never interrupts a conversation with people. */
function whyNot({ state, settings }: Step): string | undefined {
  if (state.isMuted) return "It is muted here."
  if (state.hasLeft) return "It was told to leave this thread."
  if (!settings.policy.startsTopics.allowed) return settings.policy.startsTopics.reason
  const isBusy = state.run !== null || state.waiting.length > 0 || state.active !== null
  return isBusy ? "Something with a higher priority is under way." : undefined
}
