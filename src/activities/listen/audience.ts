import { createHash } from "node:crypto"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { roomKey } from "../../chat/conversation/state.ts"
import { communityPrefix } from "../../memory/model/visibility.ts"

/** Longer names are replaced by their hash: the columns have a limit. */
const maxLength = 160

/** The audience of memories from a room: only its community. Private messages are a community of their own. */
export function audienceOf({ platform, community }: Pick<RoomRef, "platform" | "community">): string {
  return `${communityPrefix}${platform}:${bounded(community)}`
}

/** The key of an author within a community, for memory. It is based on the id, not the name. */
export function speakerIn(room: Pick<RoomRef, "platform" | "community">, author: string): string {
  return `${audienceOf(room)}/${bounded(author)}`
}

/** The key of a message, as the source of a memory. */
export function sourceOf(room: RoomRef, message: string): string {
  return `${bounded(roomKey(room), 300)}#${bounded(message)}`
}

function bounded(name: string, most = maxLength): string {
  return name.length <= most ? name : createHash("sha256").update(name).digest("hex")
}
