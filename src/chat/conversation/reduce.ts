import { deleteMessages, editMessage, forgetAuthor, updateReactions } from "./amend.ts"
import { runCommand } from "./command.ts"
import type { Effect } from "./effect.ts"
import { runEnded, runTimedOut } from "./ended.ts"
import type { ConversationEvent } from "./event.ts"
import { enforceCap, setFlush, takeBuffer } from "./messages/buffer.ts"
import { trimHistory } from "./messages/history.ts"
import { gapStart } from "./messages/seen.ts"
import { receive } from "./receive.ts"
import { receiveMissed, restart } from "./recover.ts"
import { cancelRun, runExtended, runStarted, startNext, stopEverything } from "./run.ts"
import { sendOwnPost } from "./say.ts"
import { checkIfSent, historyChecked, sendEnded, sendOutgoing } from "./sent.ts"
import type { ConversationSettings } from "./settings.ts"
import { type ConversationState, nextDeadline } from "./state.ts"
import { change, idsOf, journal, journalOldSkipped, type Step, skipMessages } from "./step.ts"

/** A conversation's pure state machine: one event in, the next state and its effects out. */
export type Reduce = (
  state: ConversationState,
  event: ConversationEvent,
  settings: ConversationSettings,
) => { state: ConversationState; effects: Effect[] }

export const reduce: Reduce = (state, event, settings) => {
  const step: Step = { at: event.at, chance: event.chance, settings, state, effects: [] }
  updateMode(step)
  handle(step, event)
  endActiveMode(step)
  startNext(step)
  journalOldSkipped(step)
  updateMode(step)
  const deadline = nextDeadline(step.state, settings)
  const isAsked = event.kind === "deadline" || event.kind === "restarted"
  if (isAsked || deadline !== nextDeadline(state, settings))
    step.effects.push({ kind: "deadline", at: deadline })
  if (step.state !== state) step.effects.push({ kind: "persist" })
  return { state: step.state, effects: step.effects }
}

const handlers: {
  [Kind in ConversationEvent["kind"]]: (step: Step, event: Extract<ConversationEvent, { kind: Kind }>) => void
} = {
  message: (step, { message }) => receive(step, message),
  edited: (step, { id, text }) => editMessage(step, id, text),
  deleted: (step, { ids }) => deleteMessages(step, ids),
  reaction: (step, { id, emoji, added }) => updateReactions(step, id, emoji, added),
  deadline: passDeadline,
  "run-started": (step, { run }) => runStarted(step, run),
  "run-extended": (step, { run, ms }) => runExtended(step, run, ms),
  "run-ended": (step, { run, result }) => runEnded(step, run, result),
  sent: (step, { run, result, wasHeldBack }) => sendEnded(step, run, result, wasHeldBack),
  checked: (step, { run, found }) => historyChecked(step, run, found),
  command: (step, { command, by }) => runCommand(step, command, { by }),
  say: sendOwnPost,
  "settings-changed": applySettings,
  "context-forgotten": forgetContext,
  "author-forgotten": (step, { author }) => forgetAuthor(step, author),
  gap: (step) => change(step, { gapAfter: gapStart(step.state) }),
  reconnected: (step, { missed, isOpen = false }) => receiveMissed(step, missed, isOpen),
  restarted: (step, { reason, isNewProcess = false }) => restart(step, reason, isNewProcess),
}

function handle<Kind extends ConversationEvent["kind"]>(
  step: Step,
  event: Extract<ConversationEvent, { kind: Kind }>,
): void {
  handlers[event.kind as Kind](step, event)
}

function forgetContext(step: Step, { reason }: { reason: string }): void {
  if (step.state.history.length === 0 || step.state.run) return
  change(step, { history: [] })
  journal(step, "chat.forgotten", reason)
}

/** Ends a run that took too long; if it was sending, checks whether its message arrived. */
function passDeadline(step: Step) {
  const { run } = step.state
  if (run?.deadline === null || run === null || run.deadline > step.at) return
  if (run.phase === "thinking") return runTimedOut(step, run)
  if (run.phase === "resending") return sendOutgoing(step, run)
  step.effects.push({ kind: "abort-run", run: run.id, reason: "The platform did not answer in time." })
  if (run.phase === "sending") return checkIfSent(step, run, "The platform did not confirm that it was sent.")
  historyChecked(step, run.id, null)
}

/** Ends active mode when other people wrote enough messages since, or chat.attention.active_minutes passed. */
function endActiveMode(step: Step) {
  const { active, run, waiting } = step.state
  if (active === null || run !== null || waiting.length > 0) return
  const isOver = active.others > step.settings.activeMessages
  const isLong = active.since + step.settings.activeMs <= step.at
  if (!isOver && !isLong) return
  change(step, { active: null, mode: "ambient" })
  journal(
    step,
    "chat.faded",
    isOver ? "Other people moved the conversation on." : "Nobody replied for some time.",
  )
}

function applySettings(step: Step) {
  const { policy } = step.settings
  if (!policy.listens.allowed && step.state.buffer.length > 0) {
    skipMessages(step, idsOf(takeBuffer(step).lines), policy.listens.reason)
  }
  const { run } = step.state
  if (
    run?.kind === "batch" &&
    run.phase !== "sending" &&
    run.phase !== "checking" &&
    !policy.listens.allowed
  ) {
    step.effects.push({ kind: "abort-run", run: run.id, reason: policy.listens.reason })
    cancelRun(step, run, policy.listens.reason)
    skipMessages(step, idsOf(takeBuffer(step).lines), policy.listens.reason)
  }
  if (!mayDoAnything(step) && (step.state.run || step.state.waiting.length > 0)) {
    stopEverything(step, policy.answers.reason)
  }
  if (!policy.startsTopics.allowed && step.state.recent) change(step, { recent: undefined })
  enforceCap(step)
  trimHistory(step)
  setFlush(step)
}

function mayDoAnything({ settings: { policy } }: Step): boolean {
  return policy.answers.allowed || policy.listens.allowed || policy.answersPrivately.allowed
}

/** The mode is off where the policy allows nothing, or after mute or leave. */
function updateMode(step: Step) {
  const { state } = step
  const isOff = state.isMuted || state.hasLeft || !mayDoAnything(step)
  const mode = isOff ? "off" : state.active ? "active" : "ambient"
  if (mode !== state.mode) change(step, { mode })
}
