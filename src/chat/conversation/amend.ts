import { setFlush } from "./messages/buffer.ts"
import { takeBack } from "./run.ts"
import type { ConversationState, Line } from "./state.ts"
import { change, changeRun, idsOf, putAside, type Step, tell } from "./step.ts"

/** A message reads differently now, wherever we keep it. */
export function edit(step: Step, id: string, text: string): void {
  amend(step, (line) => (line.id === id ? { ...line, text } : line))
}

/** Somebody put an emoji under a message, or took it away. */
export function noteReaction(step: Step, id: string, emoji: string, isAdded: boolean): void {
  amend(step, (line) => {
    if (line.id !== id) return line
    const others = line.reactions.filter((one) => one !== emoji)
    return { ...line, reactions: isAdded ? [...line.reactions, emoji].slice(-10) : others }
  })
}

function amend(step: Step, by: <T extends Line>(line: T) => T): void {
  const { buffer, history, waiting, run, recent } = step.state
  change(step, {
    ...(recent ? { recent: recent.map(by) } : {}),
    buffer: buffer.map(by),
    history: history.map(by),
    waiting: waiting.map((one) => ({ ...one, line: by(one.line) })),
  })
  if (run) changeRun(step, { messages: run.messages.map(by), background: run.background.map(by) })
}

const deleted = "It was deleted."

/** Messages are gone: nothing of them is read, shown or answered any more. */
export function forget(step: Step, ids: readonly string[]): void {
  const gone = new Set(ids)
  const stays = ({ id }: { id: string }) => !gone.has(id)
  const { buffer, waiting, history, recent } = step.state
  const unread = [...buffer, ...waiting.map(({ line }) => line)].filter((line) => !stays(line))
  change(step, {
    ...(recent ? { recent: recent.filter(stays) } : {}),
    buffer: buffer.filter(stays),
    waiting: waiting.filter(({ line }) => stays(line)),
    history: history.filter(stays),
  })
  setFlush(step)
  putAside(step, idsOf(unread), deleted)
  forgetInRun(step, stays)
}

/** So many people's wishes are kept for a room. */
const mostForgotten = 500

/**
 * Somebody wants what they said forgotten: it goes, and what we answered to it. What waits for an answer or is being
 * answered stays, since one of those is the wish itself.
 */
export function forgetAuthor(step: Step, author: string): void {
  const { buffer, history, run, forgotten = [], recent = [] } = step.state
  const others = forgotten.filter((one) => one.author !== author)
  change(step, { forgotten: [...others, { author, at: step.at }].slice(-mostForgotten) })
  const isTheirs = (line: Line) => !line.isOurs && line.author.id === author
  const told = new Set(idsOf([...recent, ...history, ...buffer, ...(run?.background ?? [])].filter(isTheirs)))
  const stays = (line: Line) => !told.has(line.id) && !(line.isOurs && told.has(line.replyTo?.id ?? ""))
  const unread = buffer.filter((line) => !stays(line))
  const gone = history.filter((line) => !stays(line))
  if (told.size === 0) return
  change(step, { buffer: buffer.filter(stays), history: history.filter(stays), held: null })
  if (recent.length > 0) change(step, { recent: recent.filter(stays) })
  if (run) changeRun(step, { background: run.background.filter(stays) })
  setFlush(step)
  putAside(step, idsOf(unread), "Its author wants it forgotten.")
  tell(step, "chat.forgotten", "Somebody wanted what they said forgotten.", { lines: gone.length })
}

function forgetInRun(step: Step, stays: (line: Line) => boolean): void {
  const { run } = step.state
  if (run === null || [...run.messages, ...run.background].every(stays)) return
  const lost = [...run.messages, ...run.background].filter((line) => !stays(line))
  putAside(step, idsOf(lost), deleted)
  const messages = run.messages.filter(stays)
  changeRun(step, { messages, background: run.background.filter(stays) })
  const mayStop = run.phase !== "sending" && run.phase !== "checking"
  if (messages.length > 0 || run.messages.length === 0 || !mayStop || step.state.run === null) return
  const reason = "What it was about was deleted."
  change(step, { epoch: step.state.epoch + 1 })
  step.effects.push({ kind: "abort-run", run: run.id, reason })
  takeBack(step, step.state.run, reason)
}

/** Every id that a state still has to do something about. */
export function unsettledIds({ buffer, waiting, run, aside }: ConversationState): string[] {
  const running = run ? [...run.messages, ...run.background] : []
  return [
    ...idsOf([...buffer, ...waiting.map(({ line }) => line), ...running]),
    ...aside.flatMap(({ ids }) => ids),
  ]
}
