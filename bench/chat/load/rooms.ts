import { systemClock } from "../../../src/base/clock.ts"
import type { Channel, ChannelEvent, ChatMessage, RoomRef } from "../../../src/chat/channels/channel.ts"

/** Rooms in which people talk at a given rate, and what was posted there. */
export interface LoadRooms {
  channel: Channel
  /** Has a bot say something in a room: it is there from then on, and no batch is due. */
  enter(number: number): void
  /** Says something in one of the rooms in use; gives its id. */
  say(number: number, mentionsUs: boolean): string
  /** When the answer to a message left. */
  answeredAt: Map<string, number>
}

export function createLoadRooms(channels: number): LoadRooms {
  const answeredAt = new Map<string, number>()
  let tell = (_: ChannelEvent) => {}
  let made = 0
  const room = (number: number): RoomRef => ({
    ...{ platform: "load", community: `c${number % 10}`, channel: `room${number}`, thread: null },
  })
  return {
    answeredAt,
    channel: {
      platform: "load",
      capabilities: {
        ...{ threads: true, edits: true, deletes: true, reactions: true, typing: true, history: true },
        ...{
          replies: true,
          longestText: 2000,
          lengthUnit: "characters",
          files: false,
          largestFile: 0,
          seesBots: true,
          direct: false,
        },
      },
      async start(onEvent) {
        tell = onEvent
      },
      history: async () => [],
      async send(_, { text, mayStillSend }) {
        if (!mayStillSend()) return { outcome: "refused", reason: "It was kept back." }
        const now = performance.now()
        for (const id of text.split(" ")) if (!answeredAt.has(id)) answeredAt.set(id, now)
        made += 1
        return { outcome: "sent", ids: [`own${made}`] }
      },
      react: async () => ({ outcome: "sent", ids: [] }),
      typing() {},
      async stop() {},
    },
    enter: (number) => void put(number, { isBot: true, mentionsUs: false }),
    say: (number, mentionsUs) => put(number, { isBot: false, mentionsUs }),
  }
  function put(number: number, { isBot, mentionsUs }: { isBot: boolean; mentionsUs: boolean }): string {
    made += 1
    const message: ChatMessage = {
      ...{ id: `m${made}`, room: room(number % channels), at: systemClock.now(), replyTo: null },
      author: { id: `person${made % 50}`, name: `Person ${made % 50}`, isBot },
      text: `Message ${made}: has anybody seen how the night train to the coast was this week?`,
      ...{ mentionsUs, isPrivate: false, isVoice: false, isOurs: false },
    }
    tell({ kind: "message", message })
    return message.id
  }
}
