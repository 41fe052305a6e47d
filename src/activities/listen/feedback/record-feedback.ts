import type { ChannelEvent, RoomRef } from "../../../chat/channels/channel.ts"
import type { ChatEntry } from "../../../chat/conversation/effect.ts"
import { communityKey, roomKey } from "../../../chat/conversation/state.ts"
import { guidance, performance } from "../../../chat/feedback/performance.ts"
import { recordPost, recordReaction, recordReply } from "../../../chat/feedback/store.ts"
import type { RoomPolicy } from "../../../chat/policy/room-policy.ts"
import type { Core } from "../../../storage/core.ts"

/** Counts reactions and replies to posts; those of blocked users do not count. */
export async function recordResponse(
  needs: Core,
  policy: (room: RoomRef) => RoomPolicy,
  event: ChannelEvent,
): Promise<void> {
  if (event.kind === "reaction" && !policy(event.room).isBlocked(event.author))
    return recordReaction(needs, event)
  if (event.kind === "message" && !policy(event.message.room).isBlocked(event.message.author))
    return recordReply(needs, event.message)
}

/** Records a post that was unasked or has media, so that responses to it count. */
export async function recordUnaskedPost(
  needs: Core,
  room: RoomRef,
  { kind, data = {} }: ChatEntry,
): Promise<void> {
  const { posts, kind: run, hasMedia } = data as { posts?: string[]; kind?: string; hasMedia?: boolean }
  // Thoughts are recorded by the initiative, with their sources.
  if (kind !== "chat.replied" || posts === undefined || run?.endsWith("thought")) return
  if (run !== "batch" && !hasMedia) return
  const post = { kind: hasMedia ? ("media" as const) : ("follow-up" as const), sources: [], thoughtId: null }
  await recordPost(needs, {
    ...{ ...post, community: communityKey(room), room, messageIds: posts, at: needs.clock.now() },
  })
}

/** How people in a room responded to unasked posts, in sentences for a model. */
export async function guidanceFor(needs: Core, room: RoomRef): Promise<string[]> {
  const { byChannelAndKind } = await performance(needs, communityKey(room))
  const here = [...byChannelAndKind].filter(([, one]) => one.room === roomKey(room))
  return guidance({ bySource: new Map(), byChannelAndKind: new Map(here) }, () => "this room")
}
