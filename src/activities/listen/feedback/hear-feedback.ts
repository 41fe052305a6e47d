import type { ChannelEvent, RoomRef } from "../../../chat/channels/channel.ts"
import type { ChatEntry } from "../../../chat/conversation/effect.ts"
import { communityKey, roomKey } from "../../../chat/conversation/state.ts"
import { guidance, performance } from "../../../chat/feedback/performance.ts"
import { notePost, noteReaction, noteReply } from "../../../chat/feedback/store.ts"
import type { RoomPolicy } from "../../../chat/policy/room-policy.ts"
import type { Core } from "../../../storage/core.ts"

/** Counts reactions and replies of people to what was posted; who is blocked does not count. */
export async function hearResponse(
  needs: Core,
  policy: (room: RoomRef) => RoomPolicy,
  event: ChannelEvent,
): Promise<void> {
  if (event.kind === "reaction" && !policy(event.room).isBlocked(event.author))
    return noteReaction(needs, event)
  if (event.kind === "message" && !policy(event.message.room).isBlocked(event.message.author))
    return noteReply(needs, event.message)
}

/** Remembers what was said unasked, or with media, so that people's answers to it count. */
export async function notePosted(needs: Core, room: RoomRef, { kind, data = {} }: ChatEntry): Promise<void> {
  const { posts, kind: run, hasMedia } = data as { posts?: string[]; kind?: string; hasMedia?: boolean }
  // Thoughts of its own are remembered by whoever thinks them, with where they came from.
  if (kind !== "chat.replied" || posts === undefined || run?.endsWith("thought")) return
  if (run !== "batch" && !hasMedia) return
  const post = { kind: hasMedia ? ("media" as const) : ("follow-up" as const), sources: [], thoughtId: null }
  await notePost(needs, {
    ...{ ...post, community: communityKey(room), room, messageIds: posts, at: needs.clock.now() },
  })
}

/** How people in a room took what was said there unasked, in sentences for a model. */
export async function guidanceFor(needs: Core, room: RoomRef): Promise<string[]> {
  const { byChannelAndKind } = await performance(needs, communityKey(room))
  const here = [...byChannelAndKind].filter(([, one]) => one.room === roomKey(room))
  const own = { bySource: new Map(), byChannel: new Map(), byKind: new Map() }
  return guidance({ ...own, byChannelAndKind: new Map(here) }, () => "this room")
}
