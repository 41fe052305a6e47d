import type { Line } from "../state.ts"
import { change, type Step } from "../step.ts"

/** However talkative a room is, the conversation so far has at most so many lines. */
const mostLines = 200

/** Adds to the conversation so far; what is there already stays as it is. */
export function addHistory(step: Step, lines: readonly Line[], run: number): void {
  const { history } = step.state
  const there = new Set(history.map(({ id }) => id))
  const added = lines.filter(({ id }) => !there.has(id)).map((line) => ({ ...line, run }))
  if (added.length === 0) return
  const joined = [...history, ...added].sort((a, b) => a.at - b.at || a.run - b.run)
  change(step, { history: joined, historyAt: step.at })
  trimHistory(step)
}

/** Lets go of what belongs to runs too long ago. */
export function trimHistory(step: Step): void {
  const { history, runs } = step.state
  const oldest = runs - step.settings.contextFlushes
  const kept = history.filter(({ run }) => run > oldest).slice(-mostLines)
  if (kept.length !== history.length) change(step, { history: kept })
}

/** Forgets the conversation so far if nobody said anything for too long. */
export function expireHistory(step: Step): void {
  const { history, historyAt } = step.state
  if (history.length > 0 && step.at - historyAt > step.settings.sessionTtlMs) change(step, { history: [] })
}
