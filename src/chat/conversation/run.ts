import type { RunRequest } from "./effect.ts"
import { enforceCap, returnToBuffer, takeBuffer } from "./messages/buffer.ts"
import { addHistory, expireHistory } from "./messages/history.ts"
import type { ConversationState, Line, RoomRunKind, RunKind, RunState } from "./state.ts"
import {
  change,
  changeRun,
  finishOwnPost,
  hasHigherPriority,
  idsOf,
  isAnswer,
  journal,
  type Step,
  skipMessages,
} from "./step.ts"

interface NewRun {
  kind: RoomRunKind
  messages: Line[]
  omitted?: number
  background?: Line[]
  direct?: string[] | undefined
  kept?: string[]
  attempt?: number
}

/** Starts a run. From here on, earlier runs can post nothing more. */
export function startRun(step: Step, { kind, messages, ...rest }: NewRun): void {
  expireHistory(step)
  const { omitted = 0, background = [], kept = [], attempt = 1 } = rest
  const runs = step.state.runs + 1
  const epoch = step.state.epoch + 1
  const run: RunState = {
    id: `${runs}-${step.at.toString(36)}`,
    ...{ kind, epoch, phase: "waiting", attempt, startedAt: step.at, deadline: null },
    ...{ messages, omitted, background, kept, outgoing: null },
    ...(rest.direct ? { direct: rest.direct } : {}),
  }
  change(step, { run, runs, epoch })
  if (isAnswer(kind)) step.effects.push({ kind: "typing", on: true })
  journal(step, "chat.asked", reasons[kind], {
    ...runData(run),
    epoch,
    attempt,
    omitted,
    background: idsOf(background),
  })
  step.effects.push({ kind: "start-run", run: requestOf(step.state, { ...run, kind }) })
}

const reasons: Record<RoomRunKind, string> = {
  direct: "Somebody addressed it.",
  "follow-up": "The user it talks with wrote again.",
  batch: "A batch of unread messages was due.",
}

/** The fields of a run that every journal entry about it contains. */
export function runData(run: RunState): Record<string, unknown> {
  return { run: run.id, kind: run.kind, messages: idsOf(run.messages) }
}

function requestOf(
  { room, history, held, forgotten = [] }: ConversationState,
  { id, kind, epoch, messages, omitted, background }: RunState & { kind: RoomRunKind },
): RunRequest {
  const shown = { messages, omitted, background, history, held: held?.text ?? null, forgotten }
  return { id, room, kind, epoch, ...shown }
}

/** The run got its slot; its time limit counts from now. */
export function runStarted(step: Step, id: string): void {
  const { run } = step.state
  if (run?.id !== id || run.phase !== "waiting") return
  changeRun(step, { phase: "thinking", deadline: step.at + step.settings.flushTimeoutMs })
}

/** Extends a run's deadline; never shortens it. */
export function runExtended(step: Step, id: string, ms: number): void {
  const { run } = step.state
  if (run?.id !== id || run.phase !== "thinking") return
  changeRun(step, { deadline: Math.max(run.deadline ?? 0, step.at + ms) })
}

/** Starts the due run with the highest priority, unless one is under way. */
export function startNext(step: Step): void {
  if (step.state.run !== null) return
  // The cap may have become lower meanwhile.
  enforceCap(step)
  const { waiting, flushAt } = step.state
  if (step.state.isMuted || step.state.hasLeft) {
    skipAllUnread(step, step.state.isMuted ? "It is muted here." : "It was told to leave this thread.")
  } else if (waiting.length > 0) {
    const kind = waiting.some((one) => one.kind === "direct") ? "direct" : "follow-up"
    const { lines, omitted } = takeBuffer(step)
    change(step, { waiting: [] })
    const direct = waiting.filter((one) => one.kind === "direct").map(({ line }) => line.id)
    startRun(step, { kind, messages: waiting.map(({ line }) => line), direct, background: lines, omitted })
  } else if (flushAt !== null && flushAt <= step.at) {
    const { lines, omitted, kept } = takeBuffer(step)
    startRun(step, { kind: "batch", messages: lines, omitted, kept })
  }
}

/** Skips every message that is unread or waits for an answer. */
function skipAllUnread(step: Step, reason: string): void {
  skipMessages(
    step,
    idsOf([...takeBuffer(step).lines, ...step.state.waiting.map(({ line }) => line)]),
    reason,
  )
  if (step.state.waiting.length > 0) change(step, { waiting: [] })
}

/** Stops the current run and skips everything unread; a message that is being sent is stopped if it still can be. */
export function stopEverything(step: Step, reason: string): void {
  const { run } = step.state
  change(step, { epoch: step.state.epoch + 1, active: null, held: null })
  if (run) {
    step.effects.push({ kind: "abort-run", run: run.id, reason })
    if (run.phase !== "sending" && run.phase !== "checking") cancelRun(step, run, reason)
  }
  skipAllUnread(step, reason)
}

/** Stops the current run for one of a higher priority, or for a direct one; its messages are returned, not lost. */
export function preemptRun(step: Step, kind: RunKind): void {
  const { run } = step.state
  if (run === null) return
  if (!hasHigherPriority(kind, run.kind) && kind !== "direct") return
  change(step, { epoch: step.state.epoch + 1 })
  const reason =
    kind === "direct" ? "Somebody addressed it meanwhile." : "Something with a higher priority came in."
  step.effects.push({ kind: "abort-run", run: run.id, reason })
  // A message that is being sent may have arrived: wait for its result.
  if (run.phase !== "sending" && run.phase !== "checking") cancelRun(step, run, reason)
}

/** Ends a run that sent nothing: its messages wait for an answer again, or are unread again. */
export function cancelRun(step: Step, run: RunState, reason: string): void {
  journal(step, "chat.aborted", reason, runData(run))
  leaveRun(step, run)
  finishOwnPost(step, run, { outcome: "kept back", reason })
  if (isAnswer(run.kind)) {
    const kindOf = ({ id }: Line) => (run.direct?.includes(id) === false ? "follow-up" : answerKind(run))
    change(step, {
      waiting: [...run.messages.map((line) => ({ line, kind: kindOf(line) })), ...step.state.waiting],
    })
    enforceCap(step)
    returnToBuffer(step, run.background, run.omitted, [])
  } else {
    returnToBuffer(step, run.messages, run.omitted, run.kept)
  }
}

export function answerKind({ kind }: RunState): "direct" | "follow-up" {
  return kind === "direct" ? "direct" : "follow-up"
}

/** Ends a run and adds its messages to the history. */
export function finishRun(step: Step, run: RunState): void {
  leaveRun(step, run)
  addHistory(step, [...run.background, ...run.messages], step.state.runs)
  if (run.kind === "batch") change(step, { cooldownUntil: step.at + step.settings.cooldownMs })
  if (step.state.flushAt !== null && step.state.flushAt < step.state.cooldownUntil) {
    change(step, { flushAt: step.state.cooldownUntil })
  }
  enforceCap(step)
}

/** Ends a failed batch: messages that failed before are skipped, the others are unread again. */
export function retryBatch(step: Step, run: RunState, reason: string, mayRetry: boolean): void {
  const mayReadAgain = ({ id }: Line) => mayRetry && !run.kept.includes(id)
  const again = run.messages.filter(mayReadAgain)
  const gone = run.messages.filter((line) => !mayReadAgain(line))
  finishRun(step, { ...run, messages: [], background: [] })
  skipMessages(step, idsOf(gone), mayRetry ? `It failed twice. ${reason}` : reason)
  returnToBuffer(step, again, run.omitted, idsOf(again))
}

function leaveRun(step: Step, run: RunState): void {
  change(step, { run: null })
  if (isAnswer(run.kind)) step.effects.push({ kind: "typing", on: false })
}
