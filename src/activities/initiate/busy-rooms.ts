import { roomKey } from "../../chat/conversation/state.ts"
import type { Supervisor } from "../../chat/supervisor/supervisor.ts"

const quiet: ReadonlySet<string> = new Set(["off", "idle", "buffering"])

/** Rooms, by their keys, that are in an exchange with people, or in which a model is being asked or something leaves. */
export function busyRooms(supervisor: Pick<Supervisor, "status">): ReadonlySet<string> {
  const { rooms } = supervisor.status()
  return new Set(rooms.filter(({ phase }) => !quiet.has(phase)).map(({ room }) => roomKey(room)))
}
