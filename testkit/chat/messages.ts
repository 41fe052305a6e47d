import type { ChatMessage, RoomRef } from "../../src/chat/channels/channel.ts"

/** A room to talk in. */
export const hall: RoomRef = { platform: "test", community: "c1", channel: "hall", thread: null }

type Given = Partial<Omit<ChatMessage, "author">> & { by?: string; isBot?: boolean }

let made = 0

/** A message of somebody, by default of ann in the hall. */
export function message(text: string, given: Given = {}): ChatMessage {
  const { by = "ann", isBot = false, ...rest } = given
  made += 1
  return {
    id: `m${made}`,
    room: hall,
    author: { id: by, name: by, isBot },
    text,
    at: 0,
    replyTo: null,
    mentionsUs: false,
    isPrivate: false,
    isVoice: false,
    isOurs: false,
    ...rest,
  }
}
