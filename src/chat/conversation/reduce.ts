import { edit, forget, forgetAuthor, noteReaction } from "./amend.ts"
import { runCommand } from "./command.ts"
import type { Effect } from "./effect.ts"
import { runEnded } from "./ended.ts"
import type { ConversationEvent } from "./event.ts"
import { keepToCap, setFlush, takeBuffer } from "./messages/buffer.ts"
import { trimHistory } from "./messages/history.ts"
import { gapStart } from "./messages/seen.ts"
import { receive } from "./receive.ts"
import { catchUp, restart } from "./recover.ts"
import { runExtended, runStarted, startNext, takeBack } from "./run.ts"
import { sayOwn } from "./say.ts"
import { checkEnded, letOut, lookForIt, sendEnded } from "./sent.ts"
import type { ConversationSettings } from "./settings.ts"
import { type ConversationState, nextDeadline } from "./state.ts"
import { change, idsOf, putAside, type Step, tell, tellOldAside } from "./step.ts"
import { stopEverything } from "./stop.ts"

/** What a conversation does: one event in, the next state and what is to be done out. It changes nothing else. */
export type Reduce = (
  state: ConversationState,
  event: ConversationEvent,
  settings: ConversationSettings,
) => { state: ConversationState; effects: Effect[] }

export const reduce: Reduce = (state, event, settings) => {
  const step: Step = { at: event.at, chance: event.chance, settings, state, effects: [] }
  settleMode(step)
  take(step, event)
  fade(step)
  startNext(step)
  tellOldAside(step)
  settleMode(step)
  const deadline = nextDeadline(step.state, settings)
  const isAsked = event.kind === "deadline" || event.kind === "restarted"
  if (isAsked || deadline !== nextDeadline(state, settings))
    step.effects.push({ kind: "deadline", at: deadline })
  if (step.state !== state) step.effects.push({ kind: "persist" })
  return { state: step.state, effects: step.effects }
}

/** What each kind of event does. */
const takes: {
  [Kind in ConversationEvent["kind"]]: (step: Step, event: Extract<ConversationEvent, { kind: Kind }>) => void
} = {
  message: (step, { message }) => receive(step, message),
  edited: (step, { id, text }) => edit(step, id, text),
  deleted: (step, { ids }) => forget(step, ids),
  reaction: (step, { id, emoji, added }) => noteReaction(step, id, emoji, added),
  deadline: passDeadline,
  "run-started": (step, { run }) => runStarted(step, run),
  "run-extended": (step, { run, ms }) => runExtended(step, run, ms),
  "run-ended": (step, { run, result }) => runEnded(step, run, result),
  sent: (step, { run, result, wasHeldBack }) => sendEnded(step, run, result, wasHeldBack),
  checked: (step, { run, found }) => checkEnded(step, run, found),
  command: (step, { command, by }) => runCommand(step, command, { by }),
  say: sayOwn,
  "settings-changed": applySettings,
  "context-forgotten": forgetContext,
  "author-forgotten": (step, { author }) => forgetAuthor(step, author),
  gap: (step) => change(step, { gapAfter: gapStart(step.state) }),
  reconnected: (step, { missed, isOpen = false }) => catchUp(step, missed, isOpen),
  restarted: (step, { reason, isNewProcess = false }) => restart(step, reason, isNewProcess),
}

function take<Kind extends ConversationEvent["kind"]>(
  step: Step,
  event: Extract<ConversationEvent, { kind: Kind }>,
): void {
  takes[event.kind as Kind](step, event)
}

function forgetContext(step: Step, { reason }: { reason: string }): void {
  if (step.state.history.length === 0 || step.state.run) return
  change(step, { history: [] })
  tell(step, "chat.forgotten", reason)
}

/** A run that took too long is ended; words whose sending took too long are looked for. */
function passDeadline(step: Step) {
  const { run } = step.state
  if (run?.deadline === null || run === null || run.deadline > step.at) return
  if (run.phase === "thinking") return runEnded(step, run.id, { outcome: "timed out" })
  if (run.phase === "resending") return letOut(step, run)
  step.effects.push({ kind: "abort-run", run: run.id, reason: "The platform did not answer in time." })
  if (run.phase === "sending") return lookForIt(step, run, "The platform did not say whether it was sent.")
  checkEnded(step, run.id, null)
}

/** Attention fades when others have talked on, or some time has passed. */
function fade(step: Step) {
  const { active, run, waiting } = step.state
  if (active === null || run !== null || waiting.length > 0) return
  const isOver = active.others > step.settings.activeMessages
  const isLong = active.since + step.settings.activeMs <= step.at
  if (!isOver && !isLong) return
  change(step, { active: null, mode: "ambient" })
  tell(step, "chat.faded", isOver ? "Others have talked on." : "Nobody went on for some time.")
}

function applySettings(step: Step) {
  const { policy } = step.settings
  if (!policy.listens.is && step.state.buffer.length > 0) {
    putAside(step, idsOf(takeBuffer(step).lines), policy.listens.why)
  }
  const { run } = step.state
  if (run?.kind === "batch" && run.phase !== "sending" && run.phase !== "checking" && !policy.listens.is) {
    step.effects.push({ kind: "abort-run", run: run.id, reason: policy.listens.why })
    takeBack(step, run, policy.listens.why)
    putAside(step, idsOf(takeBuffer(step).lines), policy.listens.why)
  }
  if (!mayDoAnything(step) && (step.state.run || step.state.waiting.length > 0)) {
    stopEverything(step, policy.answers.why)
  }
  if (!policy.begins.is && step.state.recent) change(step, { recent: undefined })
  keepToCap(step)
  trimHistory(step)
  setFlush(step)
}

function mayDoAnything({ settings: { policy } }: Step): boolean {
  return policy.answers.is || policy.listens.is || policy.answersPrivately.is
}

/** Off where the policy allows nothing, or somebody said so. */
function settleMode(step: Step) {
  const { state } = step
  const isOff = state.isMuted || state.hasLeft || !mayDoAnything(step)
  const mode = isOff ? "off" : state.active ? "active" : "ambient"
  if (mode !== state.mode) change(step, { mode })
}
