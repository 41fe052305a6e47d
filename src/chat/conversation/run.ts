import type { RunRequest } from "./effect.ts"
import { keepToCap, takeBuffer, unreadAgain } from "./messages/buffer.ts"
import { addHistory, expireHistory } from "./messages/history.ts"
import { endOwn } from "./own.ts"
import type { AskedKind, ConversationState, Line, RunKind, RunState } from "./state.ts"
import { change, changeRun, idsOf, isAnswer, isMorePressing, putAside, type Step, tell } from "./step.ts"

interface NewRun {
  kind: AskedKind
  messages: Line[]
  omitted?: number
  background?: Line[]
  direct?: string[] | undefined
  kept?: string[]
  attempt?: number
}

/** Asks a model. Everything that an earlier run might still post is out of date from here on. */
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
  tell(step, "chat.asked", reasons[kind], {
    ...told(run),
    epoch,
    attempt,
    omitted,
    background: idsOf(background),
  })
  step.effects.push({ kind: "start-run", run: requestOf(step.state, { ...run, kind }) })
}

const reasons: Record<AskedKind, string> = {
  direct: "Somebody addressed it.",
  "follow-up": "The person it talks with went on.",
  batch: "A batch of unread messages was due.",
}

/** What the journal is told of every run. */
export function told(run: RunState): Record<string, unknown> {
  return { run: run.id, kind: run.kind, messages: idsOf(run.messages) }
}

function requestOf(
  { room, history, held, forgotten = [] }: ConversationState,
  { id, kind, epoch, messages, omitted, background }: RunState & { kind: AskedKind },
): RunRequest {
  const shown = { messages, omitted, background, history, held: held?.text ?? null, forgotten }
  return { id, room, kind, epoch, ...shown }
}

/** The run got its slot; its time counts from now. */
export function runStarted(step: Step, id: string): void {
  const { run } = step.state
  if (run?.id !== id || run.phase !== "waiting") return
  changeRun(step, { phase: "thinking", deadline: step.at + step.settings.flushTimeoutMs })
}

/** A run gets more time, and never less than it had. */
export function runExtended(step: Step, id: string, ms: number): void {
  const { run } = step.state
  if (run?.id !== id || run.phase !== "thinking") return
  changeRun(step, { deadline: Math.max(run.deadline ?? 0, step.at + ms) })
}

/** Starts what is due, the most pressing first, unless a run is under way. */
export function startNext(step: Step): void {
  if (step.state.run !== null) return
  // The cap may have become lower meanwhile.
  keepToCap(step)
  const { waiting, flushAt } = step.state
  if (step.state.isMuted || step.state.hasLeft) {
    dropAll(step, step.state.isMuted ? "It is muted here." : "It was told to leave this thread.")
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

/** Lets go of everything unread. */
export function dropAll(step: Step, reason: string): void {
  putAside(step, idsOf([...takeBuffer(step).lines, ...step.state.waiting.map(({ line }) => line)]), reason)
  if (step.state.waiting.length > 0) change(step, { waiting: [] })
}

/** Stops the run under way if one of this kind is more pressing, or the same and direct; nothing of it is lost. */
export function giveWay(step: Step, kind: RunKind): void {
  const { run } = step.state
  if (run === null) return
  if (!isMorePressing(kind, run.kind) && kind !== "direct") return
  change(step, { epoch: step.state.epoch + 1 })
  const reason =
    kind === "direct" ? "Somebody addressed it meanwhile." : "Something more pressing came meanwhile."
  step.effects.push({ kind: "abort-run", run: run.id, reason })
  // What is leaving may have left: its end is waited for.
  if (run.phase !== "sending" && run.phase !== "checking") takeBack(step, run, reason)
}

/** Ends a run that said nothing: who waits for an answer waits on, what was to be read is unread again. */
export function takeBack(step: Step, run: RunState, reason: string): void {
  tell(step, "chat.aborted", reason, told(run))
  leaveRun(step, run)
  endOwn(step, run, { outcome: "kept back", reason })
  if (isAnswer(run.kind)) {
    const kindOf = ({ id }: Line) => (run.direct?.includes(id) === false ? "follow-up" : answerKind(run))
    change(step, {
      waiting: [...run.messages.map((line) => ({ line, kind: kindOf(line) })), ...step.state.waiting],
    })
    keepToCap(step)
    unreadAgain(step, run.background, run.omitted, [])
  } else {
    unreadAgain(step, run.messages, run.omitted, run.kept)
  }
}

/** As what somebody waits for it. */
export function answerKind({ kind }: RunState): "direct" | "follow-up" {
  return kind === "direct" ? "direct" : "follow-up"
}

/** Ends a run whose messages have been dealt with: they become the conversation so far. */
export function finishRun(step: Step, run: RunState): void {
  leaveRun(step, run)
  addHistory(step, [...run.background, ...run.messages], step.state.runs)
  if (run.kind === "batch") change(step, { cooldownUntil: step.at + step.settings.cooldownMs })
  if (step.state.flushAt !== null && step.state.flushAt < step.state.cooldownUntil) {
    change(step, { flushAt: step.state.cooldownUntil })
  }
  keepToCap(step)
}

function leaveRun(step: Step, run: RunState): void {
  change(step, { run: null })
  if (isAnswer(run.kind)) step.effects.push({ kind: "typing", on: false })
}
