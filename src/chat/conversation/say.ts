import { cleanForSending } from "../silence/clean.ts"
import type { ConversationEvent } from "./event.ts"
import { noteOwn } from "./own.ts"
import { letOut } from "./sent.ts"
import type { RunState } from "./state.ts"
import { change, type Step, tell } from "./step.ts"

/** Says something of our own, where nothing else is going on and the policy lets us begin subjects. */
export function sayOwn(step: Step, event: Extract<ConversationEvent, { kind: "say" }>): void {
  const { run: kind, key, text, replyTo, reason } = event
  const { state } = step
  const known = state.own?.find((one) => one.key === key)
  if (state.run?.outgoing?.key === key) return
  if (known && known.delivery.outcome !== "kept back") {
    step.effects.push({ kind: "own-ended", key, delivery: known.delivery })
    return
  }
  const kept = whyNot(step)
  if (kept !== undefined) {
    tell(step, "chat.dropped", kept, { kind, key })
    noteOwn(step, key, { outcome: "kept back", reason: kept })
    return
  }
  const runs = state.runs + 1
  const epoch = state.epoch + 1
  const outgoing = {
    ...{ key, action: "reply" as const, text: cleanForSending(text), to: replyTo, reason },
    ...{ isRegret: false, hasWaited: false },
  }
  const run: RunState = {
    id: `${runs}-${step.at.toString(36)}`,
    ...{ kind, epoch, phase: "sending", attempt: 1, startedAt: step.at, deadline: null },
    ...{ messages: [], omitted: 0, background: [], kept: [], outgoing },
  }
  change(step, { run, runs, epoch })
  letOut(step, run)
}

/** An exchange with people is never interrupted. */
function whyNot({ state, settings }: Step): string | undefined {
  if (state.isMuted) return "It is muted here."
  if (state.hasLeft) return "It was told to leave this thread."
  if (!settings.policy.begins.is) return settings.policy.begins.why
  const isBusy = state.run !== null || state.waiting.length > 0 || state.active !== null
  return isBusy ? "Something more pressing is under way." : undefined
}
