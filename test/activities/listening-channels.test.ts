import { expect, test } from "vitest"
import { reconnectingChannel } from "../../src/activities/listen/reconnecting-channel.ts"
import type { Channel, ChannelEvent } from "../../src/chat/channels/channel.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"

const minute = 60_000

/** A channel that a test lets connect and break. */
function fakeChannel(onStart: (tell: (event: ChannelEvent) => void) => void) {
  const channel: Channel & { stops: number } = {
    platform: "test",
    stops: 0,
    capabilities: {
      ...{ reactions: false, typing: false, history: false },
      ...{
        replies: false,
        longestText: 400,
        lengthUnit: "characters",
        files: false,
        largestFile: 0,
        direct: false,
      },
    },
    start: async (tell) => onStart(tell),
    history: async () => [],
    send: async () => ({ outcome: "sent", ids: ["1"] }),
    react: async () => ({ outcome: "sent", ids: [] }),
    typing: () => undefined,
    async stop() {
      channel.stops += 1
    },
  }
  return channel
}

const connected: ChannelEvent = { kind: "connected", communities: [], mayHaveMissed: true, at: 0 }
const fatal: ChannelEvent = { kind: "problem", problem: "The token is wrong.", isFatal: true, at: 0 }

test("a channel that broke down is opened anew, with longer and longer pauses, and says why once", async () => {
  const clock = createManualClock()
  const events: ChannelEvent[] = []
  const opened: Channel[] = []
  let isMended = false
  const open = () => {
    const channel = fakeChannel((tell) => tell(isMended ? connected : fatal))
    opened.push(channel)
    return channel
  }
  const lasting = reconnectingChannel({ clock }, open(), open)
  await lasting.start((event) => events.push(event))
  expect(lasting.state()).toMatchObject({ state: "broken", problem: "The token is wrong." })
  await clock.advance(minute)
  await clock.advance(minute)
  expect(opened).toHaveLength(2)
  await clock.advance(minute)
  expect(opened).toHaveLength(3)
  expect(events).toEqual([fatal])
  isMended = true
  await clock.advance(30 * minute)
  expect(lasting.state()).toMatchObject({ state: "connected", problem: null })
  expect(events).toEqual([fatal, connected])
  await lasting.stop()
  expect(opened.every((one) => (one as ReturnType<typeof fakeChannel>).stops > 0)).toBe(true)
})

test("one that cannot be started, or not be opened again, is tried on; what an old one tells is not heard", async () => {
  const clock = createManualClock()
  const events: ChannelEvent[] = []
  let old: (event: ChannelEvent) => void = () => undefined
  const first = fakeChannel((tell) => {
    old = tell
    throw new Error("cannot load")
  })
  const next: (Channel | string)[] = ["There is no token.", fakeChannel((tell) => tell(connected))]
  const lasting = reconnectingChannel({ clock }, first, () => next.shift() ?? "none")
  await lasting.start((event) => events.push(event))
  expect(lasting.state()).toMatchObject({ state: "broken", problem: "cannot load" })
  await clock.advance(minute)
  expect(lasting.state()).toMatchObject({ state: "broken", problem: "There is no token." })
  await clock.advance(2 * minute)
  expect(lasting.state().state).toBe("connected")
  old({ kind: "disconnected", reason: "old", at: 0 })
  expect(lasting.state().state).toBe("connected")
  await lasting.stop()
})
