import { pendingIds } from "../../../src/chat/conversation/amend.ts"
import { roomKey } from "../../../src/chat/conversation/state.ts"
import type { Kept } from "../memory-store.ts"

/** Entries after which a run, and the messages it was about, are dealt with. */
const ends = new Set([
  "chat.replied",
  "chat.reacted",
  "chat.silenced",
  "chat.held",
  "chat.refused",
  "chat.unconfirmed",
])
const settles = new Set([
  ...ends,
  "chat.dropped",
  "chat.restarted",
  "chat.muted",
  "chat.unmuted",
  "chat.left",
  "chat.command-refused",
])

/** Every message, as `ROOM ID`, that the journal accounts for, or that a conversation has still to do with. */
export function settledIds({ journal, states }: Kept): Set<string> {
  const waiting = states.flatMap((state) => pendingIds(state).map((id) => `${roomKey(state.room)} ${id}`))
  return settledInJournal(journal, new Set(waiting))
}

function settledInJournal(journal: Kept["journal"], settled: Set<string>): Set<string> {
  const overheard = new Map<string, string[]>()
  for (const { kind, room, data } of journal) {
    const run = `${room} ${data.run}`
    if (kind === "chat.asked") overheard.set(run, list(data.background))
    if (settles.has(kind)) for (const id of list(data.messages)) settled.add(`${room} ${id}`)
    if (data.run === undefined || !(ends.has(kind) || kind === "chat.failed")) continue
    for (const id of overheard.get(run) ?? []) settled.add(`${room} ${id}`)
  }
  return settled
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
