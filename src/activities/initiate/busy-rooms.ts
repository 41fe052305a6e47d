import { roomKey } from "../../chat/conversation/state.ts"
import type { Supervisor } from "../../chat/supervisor/supervisor.ts"

const quiet: ReadonlySet<string> = new Set(["off", "idle", "buffering"])

/** The keys of rooms that are in a conversation with people, ask a model or send something. */
export function busyRooms(supervisor: Pick<Supervisor, "status">): ReadonlySet<string> {
  const { rooms } = supervisor.status()
  return new Set(rooms.filter(({ phase }) => !quiet.has(phase)).map(({ room }) => roomKey(room)))
}
