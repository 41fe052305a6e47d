import type { Clock } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Channel, ChannelEvent } from "../../chat/channels/channel.ts"

/** The state of a channel, for users. */
export interface ChannelState {
  platform: string
  state: "connecting" | "connected" | "disconnected" | "broken"
  since: number
  /** What is wrong, in one sentence; null if nothing is. */
  problem: string | null
  communities: { id: string; name: string }[]
}

/** A channel that is opened again after it broke. */
export interface ReconnectingChannel extends Channel {
  state(): ChannelState
}

const notDirect = "This platform has no private messages by user id."
/** The wait before a broken channel is opened again; it doubles each time. */
const firstPauseMs = 60_000
const longestPauseMs = 1_800_000

/**
 * Opens a channel again after it broke, because the user may have fixed the problem (a token, an intent). `reopen`
 * returns a new channel, or why there is none.
 */
export function reconnectingChannel(
  { clock }: { clock: Clock },
  first: Channel,
  reopen: () => Channel | string,
): ReconnectingChannel {
  let inner = first
  let tell: (event: ChannelEvent) => void = () => undefined
  let pauseMs = firstPauseMs
  let cancel: (() => void) | undefined
  let isStopped = false
  let ending: Promise<void> = Promise.resolve()
  let now: ChannelState = {
    platform: first.platform,
    state: "connecting",
    since: clock.now(),
    problem: null,
    communities: [],
  }
  const change = (changes: Partial<ChannelState>) => {
    now = { ...now, since: clock.now(), ...changes }
  }
  /** Updates the state from an event; false if the event repeats a known problem. */
  const updateState = (event: ChannelEvent): boolean => {
    switch (event.kind) {
      case "connected":
        pauseMs = firstPauseMs
        change({ state: "connected", problem: null, communities: event.communities })
        return true
      case "disconnected":
        change({ state: "disconnected", problem: event.reason })
        return true
      case "problem": {
        const { problem, isFatal } = event
        const isNew = now.problem !== problem
        if (isFatal) breakDown(problem)
        else change({ problem })
        return isNew
      }
      default:
        return true
    }
  }
  const handlerFor = (from: Channel) => (event: ChannelEvent) => {
    if (!isStopped && from === inner && updateState(event)) tell(event)
  }
  const begin = async (channel: Channel) => {
    inner = channel
    try {
      await channel.start(handlerFor(channel))
    } catch (error) {
      handlerFor(channel)({ kind: "problem", problem: messageOf(error), isFatal: true, at: clock.now() })
    }
  }
  const breakDown = (problem: string) => {
    change({ state: "broken", problem, communities: [] })
    ending = inner.stop().catch(() => undefined)
    cancel?.()
    cancel = clock.after(pauseMs, again)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
  const again = () => {
    if (isStopped) return
    const next = reopen()
    if (typeof next === "string") return breakDown(next)
    void begin(next)
  }
  return {
    platform: first.platform,
    capabilities: first.capabilities,
    state: () => now,
    async start(onEvent) {
      tell = onEvent
      await begin(first)
    },
    history: (room, options) => inner.history(room, options),
    mayAttach: (room) => inner.mayAttach?.(room) ?? inner.capabilities.files,
    send: (room, outgoing, signal) => inner.send(room, outgoing, signal),
    sendTo: async (person, outgoing, signal) =>
      (await inner.sendTo?.(person, outgoing, signal)) ?? { outcome: "refused", reason: notDirect },
    react: (room, message, emoji) => inner.react(room, message, emoji),
    typing: (room, signal) => inner.typing(room, signal),
    async stop() {
      isStopped = true
      cancel?.()
      await ending
      await inner.stop()
    },
  }
}
