import type { ChatEntryKind, Effect } from "./effect.ts"
import type { ConversationSettings } from "./settings.ts"
import { asideMs, type ConversationState, type Line, type RunKind, type RunState, runKinds } from "./state.ts"

/** One event being worked through: the state so far, which is never mutated, and the effects so far. */
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

export function tell(step: Step, kind: ChatEntryKind, reason: string, data?: Record<string, unknown>): void {
  step.effects.push({ kind: "journal", entry: { kind, reason, data } })
}

/** The journal is told of so many messages at once. */
const mostAside = 50

/** Puts messages aside that will not be read; the journal is told of several at once. */
export function putAside(step: Step, ids: readonly string[], reason: string): void {
  if (ids.length === 0) return
  const { aside } = step.state
  const same = aside.find((one) => one.reason === reason)
  const joined = same ? { ...same, ids: [...same.ids, ...ids] } : { reason, ids: [...ids], since: step.at }
  change(step, { aside: [...aside.filter((one) => one !== same), joined] })
  if (joined.ids.length >= mostAside) tellAside(step, (one) => one.reason === reason)
}

/** Tells the journal of what was put aside long enough ago. */
export function tellOldAside(step: Step): void {
  tellAside(step, ({ since }) => since + asideMs <= step.at)
}

function tellAside(step: Step, which: (aside: ConversationState["aside"][number]) => boolean): void {
  const told = step.state.aside.filter(which)
  if (told.length === 0) return
  change(step, { aside: step.state.aside.filter((one) => !which(one)) })
  for (const { reason, ids } of told) tell(step, "chat.dropped", reason, { messages: ids })
}

export function idsOf(lines: readonly Pick<Line, "id">[]): string[] {
  return lines.map(({ id }) => id)
}

export function isMorePressing(kind: RunKind, other: RunKind): boolean {
  return runKinds.indexOf(kind) < runKinds.indexOf(other)
}

/** Whether somebody waits for what a run of this kind says. */
export function isAnswer(kind: RunKind): kind is "direct" | "follow-up" {
  return kind === "direct" || kind === "follow-up"
}
