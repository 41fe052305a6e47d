import { setFlush } from "./messages/buffer.ts"
import { cancelRun } from "./run.ts"
import type { ConversationState, Line } from "./state.ts"
import { change, changeRun, idsOf, journal, type Step, skipMessages } from "./step.ts"

/** Changes the text of a message wherever the state contains it. */
export function editMessage(step: Step, id: string, text: string): void {
  amend(step, (line) => (line.id === id ? { ...line, text } : line))
}

/** Adds or removes an emoji on a message. */
export function updateReactions(step: Step, id: string, emoji: string, isAdded: boolean): void {
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

const deleted = "The message was deleted."

/** Removes messages that were deleted in the room: they are no longer read, shown or answered. */
export function deleteMessages(step: Step, ids: readonly string[]): void {
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
  skipMessages(step, idsOf(unread), deleted)
  deleteInRun(step, stays)
}

/** A room remembers at most this many authors who asked to be forgotten. */
const maxForgotten = 500

/**
 * Forgets an author's messages and our replies to them. Messages that wait for an answer or are being answered stay,
 * because one of them is the request itself.
 */
export function forgetAuthor(step: Step, author: string): void {
  const { buffer, history, run, forgotten = [], recent = [] } = step.state
  const others = forgotten.filter((one) => one.author !== author)
  change(step, { forgotten: [...others, { author, at: step.at }].slice(-maxForgotten) })
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
  skipMessages(step, idsOf(unread), "Its author asked to have it forgotten.")
  journal(step, "chat.forgotten", "A user asked to have their messages forgotten.", { lines: gone.length })
}

function deleteInRun(step: Step, stays: (line: Line) => boolean): void {
  const { run } = step.state
  if (run === null || [...run.messages, ...run.background].every(stays)) return
  const lost = [...run.messages, ...run.background].filter((line) => !stays(line))
  skipMessages(step, idsOf(lost), deleted)
  const messages = run.messages.filter(stays)
  changeRun(step, { messages, background: run.background.filter(stays) })
  const mayStop = run.phase !== "sending" && run.phase !== "checking"
  if (messages.length > 0 || run.messages.length === 0 || !mayStop || step.state.run === null) return
  const reason = "The messages of this run were deleted."
  change(step, { epoch: step.state.epoch + 1 })
  step.effects.push({ kind: "abort-run", run: run.id, reason })
  cancelRun(step, step.state.run, reason)
}

/** The ids of all messages that are not yet answered, read or journalled as skipped. */
export function pendingIds({ buffer, waiting, run, aside }: ConversationState): string[] {
  const running = run ? [...run.messages, ...run.background] : []
  return [
    ...idsOf([...buffer, ...waiting.map(({ line }) => line), ...running]),
    ...aside.flatMap(({ ids }) => ids),
  ]
}
