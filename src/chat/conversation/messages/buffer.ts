import type { Line } from "../state.ts"
import { change, idsOf, type Step, skipMessages } from "../step.ts"

const tooMany = "There were more unread messages than chat.ambient.flush_hard_cap."

/** Adds a message to the next batch. Only messages of people schedule it. */
export function bufferLine(step: Step, line: Line): void {
  change(step, { buffer: [...step.state.buffer, line] })
  enforceCap(step)
  if (!line.author.isBot) setFlush(step)
}

/** Puts the messages of a stopped run back, before those that came since. `kept` are those that failed once already. */
export function returnToBuffer(
  step: Step,
  lines: readonly Line[],
  omitted: number,
  kept: readonly string[],
): void {
  if (lines.length === 0 && omitted === 0) return
  const { state } = step
  change(step, {
    buffer: [...lines, ...state.buffer],
    omitted: state.omitted + omitted,
    kept: [...new Set([...state.kept, ...kept])],
  })
  enforceCap(step)
  setFlush(step)
}

/** Drops the oldest unread messages, and the oldest that wait for an answer, beyond flush_hard_cap. */
export function enforceCap(step: Step): void {
  enforceWaitingCap(step)
  const { buffer, omitted } = step.state
  const over = buffer.length - step.settings.flushHardCap
  if (over <= 0) return
  const gone = idsOf(buffer.slice(0, over))
  change(step, {
    buffer: buffer.slice(over),
    omitted: omitted + over,
    kept: step.state.kept.filter((id) => !gone.includes(id)),
  })
  skipMessages(step, gone, tooMany)
}

/** Drops follow-ups first, then messages that address us. */
function enforceWaitingCap(step: Step): void {
  const { waiting } = step.state
  const over = waiting.length - step.settings.flushHardCap
  if (over <= 0) return
  const isDirect = ({ kind }: (typeof waiting)[number]) => kind === "direct"
  const gone = new Set(
    [...waiting.filter((one) => !isDirect(one)), ...waiting.filter(isDirect)].slice(0, over),
  )
  change(step, { waiting: waiting.filter((one) => !gone.has(one)) })
  skipMessages(step, idsOf([...gone].map(({ line }) => line)), "Too many people addressed it at once.")
}

/** Sets when the batch is read: after the interval, or at once when there are enough messages. */
export function setFlush(step: Step): void {
  const { at, chance, settings, state } = step
  const count = state.buffer.filter(({ author }) => !author.isBot).length
  if (count === 0) {
    change(step, { flushAt: null })
    return
  }
  const isFull = count >= Math.min(settings.flushMaxMessages, settings.flushHardCap)
  const jitter = 0.8 + 0.4 * chance
  const wanted = isFull ? at : (state.flushAt ?? at + settings.flushIntervalMs * jitter)
  // A clock that was set back, or a shorter cooldown, must not make it wait longer.
  const rest = Math.min(state.cooldownUntil, at + settings.cooldownMs)
  const flushAt = Math.round(Math.max(Math.min(wanted, state.flushAt ?? wanted), rest))
  if (flushAt !== state.flushAt) change(step, { flushAt })
}

/** Takes all buffered messages. */
export function takeBuffer(step: Step): { lines: Line[]; omitted: number; kept: string[] } {
  const { buffer, omitted, kept, flushAt } = step.state
  const isEmpty = buffer.length === 0 && omitted === 0 && flushAt === null
  if (!isEmpty) change(step, { buffer: [], omitted: 0, kept: [], flushAt: null })
  return { lines: buffer, omitted, kept }
}
