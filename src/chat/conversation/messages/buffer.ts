import type { Line } from "../state.ts"
import { change, idsOf, putAside, type Step } from "../step.ts"

const tooMany = "There were more unread messages than chat.ambient.flush_hard_cap."

/** Keeps a message for the next batch. Only people's messages bring it about. */
export function bufferLine(step: Step, line: Line): void {
  change(step, { buffer: [...step.state.buffer, line] })
  keepToCap(step)
  if (!line.author.isBot) setFlush(step)
}

/** Puts the messages of a run that was stopped back in front of those that came since. */
export function unreadAgain(
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
  keepToCap(step)
  setFlush(step)
}

/** The oldest go, of what is unread and of what waits for an answer. */
export function keepToCap(step: Step): void {
  keepWaitingToCap(step)
  const { buffer, omitted } = step.state
  const over = buffer.length - step.settings.flushHardCap
  if (over <= 0) return
  const gone = idsOf(buffer.slice(0, over))
  change(step, {
    buffer: buffer.slice(over),
    omitted: omitted + over,
    kept: step.state.kept.filter((id) => !gone.includes(id)),
  })
  putAside(step, gone, tooMany)
}

/** Who addressed us waits on; what people merely went on to say goes first. */
function keepWaitingToCap(step: Step): void {
  const { waiting } = step.state
  const over = waiting.length - step.settings.flushHardCap
  if (over <= 0) return
  const inTurn = [...waiting.filter(({ kind }) => kind === "follow-up"), ...waiting.filter(isDirect)]
  const gone = new Set(inTurn.slice(0, over))
  change(step, { waiting: waiting.filter((one) => !gone.has(one)) })
  putAside(step, idsOf([...gone].map(({ line }) => line)), "Too many people addressed it at once.")
}

function isDirect({ kind }: { kind: "direct" | "follow-up" }): boolean {
  return kind === "direct"
}

/** Sets when the batch is looked at: after the interval, or at once when there are enough. */
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
  // A clock that was set back, or a shorter cooldown, does not make it rest for longer.
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
