import type { ChatEntryKind, Effect } from "./effect.ts"
import type { ConversationSettings } from "./settings.ts"
import {
  type ConversationState,
  type Delivery,
  type Line,
  type RunKind,
  type RunState,
  runKinds,
  skippedJournalDelayMs,
} from "./state.ts"

/** One event in progress: the state so far, which is never mutated, and the effects so far. */
export interface Step {
  at: number
  chance: number
  settings: ConversationSettings
  state: ConversationState
  effects: Effect[]
}

export function change(step: Step, changes: Partial<ConversationState>): void {
  step.state = { ...step.state, ...changes }
}

export function changeRun(step: Step, changes: Partial<RunState>): void {
  if (step.state.run) change(step, { run: { ...step.state.run, ...changes } })
}

export function journal(
  step: Step,
  kind: ChatEntryKind,
  reason: string,
  data?: Record<string, unknown>,
): void {
  step.effects.push({ kind: "journal", entry: { kind, reason, data } })
}

/** One journal entry names at most about this many skipped messages. */
const maxSkippedPerEntry = 50

/** Skips messages; one journal entry covers several. */
export function skipMessages(step: Step, ids: readonly string[], reason: string): void {
  if (ids.length === 0) return
  const { aside } = step.state
  const same = aside.find((one) => one.reason === reason)
  const joined = same ? { ...same, ids: [...same.ids, ...ids] } : { reason, ids: [...ids], since: step.at }
  change(step, { aside: [...aside.filter((one) => one !== same), joined] })
  if (joined.ids.length >= maxSkippedPerEntry) journalSkipped(step, (one) => one.reason === reason)
}

/** Journals the messages that were skipped long enough ago. */
export function journalOldSkipped(step: Step): void {
  journalSkipped(step, ({ since }) => since + skippedJournalDelayMs <= step.at)
}

function journalSkipped(step: Step, which: (aside: ConversationState["aside"][number]) => boolean): void {
  const told = step.state.aside.filter(which)
  if (told.length === 0) return
  change(step, { aside: step.state.aside.filter((one) => !which(one)) })
  for (const { reason, ids } of told) journal(step, "chat.dropped", reason, { messages: ids })
}

export function idsOf(lines: readonly Pick<Line, "id">[]): string[] {
  return lines.map(({ id }) => id)
}

export function hasHigherPriority(kind: RunKind, other: RunKind): boolean {
  return runKinds.indexOf(kind) < runKinds.indexOf(other)
}

/** Whether users wait for the answer of a run of this kind. */
export function isAnswer(kind: RunKind): kind is "direct" | "follow-up" {
  return kind === "direct" || kind === "follow-up"
}

/** A room stores the results of at most this many posts of our own. */
const maxOwnPosts = 20

/** Reports the delivery of a post of our own; ignores other runs. */
export function finishOwnPost(step: Step, { kind, outgoing }: RunState, delivery: Delivery): void {
  if (isAnswer(kind) || kind === "batch" || outgoing === null) return
  recordOwnPost(step, outgoing.key, delivery)
}

export function recordOwnPost(step: Step, key: string, delivery: Delivery): void {
  const { own = [] } = step.state
  // A post that was kept back may be sent later under the same key.
  const others = own.filter((one) => one.key !== key)
  change(step, { own: [...others, { key, delivery }].slice(-maxOwnPosts) })
  step.effects.push({ kind: "own-ended", key, delivery })
}
