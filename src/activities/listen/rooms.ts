import type { RoomRef } from "../../chat/channels/channel.ts"
import { entriesOf, namesRoom } from "../../chat/policy/lists.ts"
import { knownRooms } from "../../chat/supervisor/store.ts"
import type { Database } from "../../storage/database.ts"

/** The known rooms that match a name, or the room of a full name. */
export async function findRooms({ db }: { db: Database }, name: string): Promise<RoomRef[]> {
  const entries = entriesOf([name])
  const known = (await knownRooms(db)).filter((room) => namesRoom(entries, room))
  const whole = wholeRoom(name)
  return known.length > 0 || whole === undefined ? known : [whole]
}

/** The room of a name, known or not. */
export async function resolveRoom(needs: { db: Database }, name: string): Promise<RoomRef> {
  const [known] = await findRooms(needs, name)
  if (known) return known
  const [first = "", second] = name.split("/")
  const platform = second === undefined ? (/^[#&+!]/.test(first) ? "irc" : "discord") : first
  return { platform, community: "", channel: second ?? first, thread: null }
}

function wholeRoom(name: string): RoomRef | undefined {
  const [platform, community, channel, thread = null, ...more] = name.split("/")
  if (!platform || !community || !channel || more.length > 0) return undefined
  return { platform, community, channel, thread }
}
