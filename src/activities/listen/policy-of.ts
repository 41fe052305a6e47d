import type { RoomRef } from "../../chat/channels/channel.ts"
import { mentions } from "../../chat/channels/text/mentions.ts"
import { roomKey } from "../../chat/conversation/state.ts"
import { explainPolicy, namesOf } from "../../chat/policy/explain.ts"
import { openChatStore } from "../../chat/supervisor/store.ts"
import type { Core } from "../../storage/core.ts"
import { isMutedEverywhere } from "./mute.ts"
import { roomNamed } from "./rooms.ts"

/** What would be done in a channel, and with a message there, in plain sentences. */
export async function explainRoom(
  needs: Core,
  { channel, message, user }: { channel: string; message?: string | undefined; user?: string | undefined },
): Promise<{ room: RoomRef; sentences: string[] }> {
  const { chat } = needs.config
  const room = await roomNamed(needs, channel)
  const isPrivate = room.community.startsWith("dm:")
  const author = { id: user ?? "somebody", name: user ?? "somebody", isBot: false }
  const given = message !== undefined || user !== undefined
  const asked = {
    ...{ id: "asked", room, author, text: message ?? "", at: needs.clock.now(), replyTo: null },
    ...{
      mentionsUs: isMention(room, message ?? "", namesOf(chat)),
      isPrivate,
      isVoice: false,
      isOurs: false,
    },
  }
  const standing = await standingOf(needs, room)
  return { room, sentences: [...standing, ...explainPolicy(chat, room, given ? asked : undefined)] }
}

/** What the platform would call a mention: a word of its own, with an @ where the platform has that. */
function isMention({ platform }: RoomRef, text: string, names: readonly string[]): boolean {
  return mentions(text, platform === "discord" ? names.map((name) => `@${name}`) : names)
}

/** What somebody said about the room, which wins over the policy. */
async function standingOf({ db, random }: Core, room: RoomRef): Promise<string[]> {
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
