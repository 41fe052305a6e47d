import { createHash } from "node:crypto"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { roomKey } from "../../chat/conversation/state.ts"
import { communityPrefix } from "../../memory/model/visibility.ts"

/** Longer names than this are kept by their fingerprint: what stores them has a limit. */
const longest = 160

/** Who may ever see what is remembered here: the community, and nobody else. Private talk is a community of its own. */
export function audienceOf({ platform, community }: Pick<RoomRef, "platform" | "community">): string {
  return `${communityPrefix}${platform}:${bounded(community)}`
}

/** One person of a community, as memory tells speakers apart: a name that somebody else takes is another speaker. */
export function speakerIn(room: Pick<RoomRef, "platform" | "community">, author: string): string {
  return `${audienceOf(room)}/${bounded(author)}`
}

/** Where something was said: a message of a room. */
export function sourceOf(room: RoomRef, message: string): string {
  return `${bounded(roomKey(room), 300)}#${bounded(message)}`
}

function bounded(name: string, most = longest): string {
  return name.length <= most ? name : createHash("sha256").update(name).digest("hex")
}
