import type { Line } from "../state.ts"
import { change, type Step } from "../step.ts"

/** The history has at most this many messages. */
const maxLines = 200

/** Adds messages to the history; those already there stay as they are. */
export function addHistory(step: Step, lines: readonly Line[], run: number): void {
  const { history } = step.state
  const there = new Set(history.map(({ id }) => id))
  const added = lines.filter(({ id }) => !there.has(id)).map((line) => ({ ...line, run }))
  if (added.length === 0) return
  const joined = [...history, ...added].sort((a, b) => a.at - b.at || a.run - b.run)
  change(step, { history: joined, historyAt: step.at })
  trimHistory(step)
}

/** Removes messages of runs before the last `chat.ambient.pool.context_flushes`. */
export function trimHistory(step: Step): void {
  const { history, runs } = step.state
  const oldest = runs - step.settings.contextFlushes
  const kept = history.filter(({ run }) => run > oldest).slice(-maxLines)
  if (kept.length !== history.length) change(step, { history: kept })
}

/** Clears the history if nobody wrote for `chat.ambient.pool.session_ttl_minutes`. */
export function expireHistory(step: Step): void {
  const { history, historyAt } = step.state
  if (history.length > 0 && step.at - historyAt > step.settings.sessionTtlMs) change(step, { history: [] })
}
