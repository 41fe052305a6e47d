import { isMutedEverywhere } from "../../activities/listen/mute.ts"
import { isoTime } from "../../base/clock.ts"
import type { ChatState } from "../contract/chat-answers.ts"
import type { AppNeeds } from "../needs.ts"

/** The state of the chat channels; null where this process has none. */
export async function chatState({ daemon, db }: AppNeeds): Promise<ChatState | null> {
  const listening = daemon?.listening?.()
  if (listening === undefined) return null
  const { channels, problems, rooms } = listening.status()
  return {
    channels: channels.map((one) => ({ ...one, since: isoTime(one.since) })),
    problems,
    rooms: rooms.length,
    replying: rooms.filter(({ phase }) => phase === "replying").length,
    isMuted: await isMutedEverywhere(db),
  }
}
