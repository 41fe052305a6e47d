import type { Author, RoomRef } from "../channels/channel.ts"

/** The entries of a list in the configuration, in lower case. */
export type Entries = ReadonlySet<string>

/** Entries are compared without case: IRC channel names ignore it, and ids are numbers. */
export function entriesOf(list: readonly string[]): Entries {
  return new Set(list.map((entry) => entry.toLowerCase()))
}

/** Whether a list names a room: its channel or thread alone, with its platform, or with its community too. */
export function namesRoom(entries: Entries, room: RoomRef): boolean {
  if (entries.size === 0) return false
  if (entries.has("*")) return true
  const { platform, community, channel, thread } = room
  const channels = thread === null ? [channel] : [channel, thread]
  return channels.some((one) =>
    [one, `${platform}/${one}`, `${platform}/${community}/${one}`].some((name) =>
      entries.has(name.toLowerCase()),
    ),
  )
}

/** Whether a list names a user. */
export function namesPerson(entries: Entries, platform: string, author: Pick<Author, "id">): boolean {
  if (entries.size === 0) return false
  const id = author.id.toLowerCase()
  return entries.has("*") || entries.has(id) || entries.has(`${platform.toLowerCase()}/${id}`)
}

/**
 * Whether a list blocks a user. A bare nick also matches ids like `nick:ann` and `account:ann`: a list that blocks may
 * match too many users, one that permits may not.
 */
export function blocksPerson(entries: Entries, platform: string, author: Pick<Author, "id">): boolean {
  const bare = author.id.replace(/^(?:nick|account):/, "")
  return namesPerson(entries, platform, author) || namesPerson(entries, platform, { id: bare })
}
