import type { RoomRef } from "../../../chat/channels/channel.ts"
import { mentions } from "../../../chat/channels/text/mentions.ts"
import { roomKey } from "../../../chat/conversation/state.ts"
import { explainPolicy, namesOf } from "../../../chat/policy/explain.ts"
import { openChatStore } from "../../../chat/supervisor/store.ts"
import type { Core } from "../../../storage/core.ts"
import { isMutedEverywhere } from "../mute.ts"
import { resolveRoom } from "../rooms.ts"

/** Explains the policy of a channel, and what would happen to a message there. */
export async function explainRoom(
  needs: Core,
  { channel, message, user }: { channel: string; message?: string | undefined; user?: string | undefined },
): Promise<{ room: RoomRef; sentences: string[] }> {
  const { chat } = needs.config
  const room = await resolveRoom(needs, channel)
  const author = { id: user ?? "somebody", name: user ?? "somebody", isBot: false }
  const hasMessage = message !== undefined || user !== undefined
  const asked = {
    id: "asked",
    room,
    author,
    text: message ?? "",
    at: needs.clock.now(),
    replyTo: null,
    mentionsUs: isMention(room, message ?? "", namesOf(chat)),
    isPrivate: room.community.startsWith("dm:"),
    isVoice: false,
    isOurs: false,
  }
  const muted = await muteSentences(needs, room)
  return { room, sentences: [...muted, ...explainPolicy(chat, room, hasMessage ? asked : undefined)] }
}

/** Whether the platform would mark the text as a mention: on Discord, names need an @. */
function isMention({ platform }: RoomRef, text: string, names: readonly string[]): boolean {
  return mentions(text, platform === "discord" ? names.map((name) => `@${name}`) : names)
}

/** The mute state of the room, which overrides the policy. */
async function muteSentences({ db, random }: Core, room: RoomRef): Promise<string[]> {
  const state = await openChatStore({ db, random }).load(roomKey(room))
  return [
    ...((await isMutedEverywhere(db))
      ? ["It is muted everywhere; `reverie chat mute --all --off` ends that."]
      : []),
    ...(state?.isMuted ? ["It is muted here, and does nothing until it is unmuted."] : []),
    ...(state?.hasLeft
      ? ["It was told to leave this thread, and comes back when somebody addresses it."]
      : []),
  ]
}
