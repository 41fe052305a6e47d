// room-process.ts PORT DATABASE: a program that sits in the rooms of the platform on that port, until it is killed.
import { connect } from "node:net"
import { createInterface } from "node:readline"
import { sleep, systemClock } from "../../../src/base/clock.ts"
import { silentLog } from "../../../src/base/log.ts"
import { systemRandom } from "../../../src/base/random.ts"
import type { Channel, ChannelEvent, ChatMessage, SendResult } from "../../../src/chat/channels/channel.ts"
import { openChatStore } from "../../../src/chat/supervisor/store.ts"
import { openSupervisor } from "../../../src/chat/supervisor/supervisor.ts"
import type { Think } from "../../../src/chat/supervisor/think.ts"
import { configSchema } from "../../../src/config/schema.ts"
import { openDatabase } from "../../../src/storage/open-database.ts"

const [port = "0", url = ""] = process.argv.slice(2)

/** Answers by naming what it answers, after a moment; of what it overhears it speaks now and then. */
const think: Think = async ({ kind, messages }, signal) => {
  await sleep(systemClock, 5 + systemRandom.next() * 60, signal)
  const names = messages.map(({ id }) => id).join(" ")
  const isSaid = kind === "direct" || kind === "follow-up" || systemRandom.next() < 0.2
  const decision = isSaid
    ? { action: "reply" as const, text: `${kind}: ${names}`, replyTo: null, reason: "Asked." }
    : { action: "silent" as const, reason: "Small talk." }
  return { outcome: "decided", decision }
}

/** A channel whose platform is at the other end of a socket, one JSON object in each line. */
function socketChannel(): Channel {
  const socket = connect(Number(port), "127.0.0.1")
  const waiting = new Map<number, (value: never) => void>()
  let asked = 0
  let onEvent = (_: ChannelEvent) => {}
  const ask = <T>(what: Record<string, unknown>): Promise<T> =>
    new Promise((resolve) => {
      asked += 1
      waiting.set(asked, resolve)
      socket.write(`${JSON.stringify({ ...what, id: asked })}\n`)
    })
  createInterface({ input: socket }).on("line", (line) => {
    const told = JSON.parse(line)
    if (told.event) return onEvent(told.event)
    waiting.get(told.id)?.(told.value as never)
    waiting.delete(told.id)
  })
  socket.on("close", () => process.exit(0))
  return {
    platform: "peer",
    capabilities: {
      ...{ reactions: true, typing: false, history: true },
      ...{
        replies: true,
        longestText: 2000,
        lengthUnit: "characters",
        files: false,
        largestFile: 0,
        direct: false,
      },
    },
    async start(listener) {
      onEvent = listener
      await ask({ do: "start" })
      onEvent({ kind: "connected", communities: [], mayHaveMissed: true, at: systemClock.now() })
    },
    history: (room, { limit, after }) => ask<ChatMessage[]>({ do: "history", room, limit, after }),
    async send(room, { text, key, mayStillSend }) {
      if (!mayStillSend()) return { outcome: "refused", reason: "It was kept back." }
      return ask<SendResult>({ do: "send", room, text, key })
    },
    react: async () => ({ outcome: "sent", ids: [] }),
    typing() {},
    async stop() {},
  }
}

const db = await openDatabase({ url, file: "", clock: systemClock, random: systemRandom, log: silentLog })
const { chat } = configSchema.parse({
  chat: {
    ambient: { enabled: true, flush_interval_seconds: 1, cooldown_seconds: 0, max_concurrent_flushes: 4 },
    attention: { active_minutes: 0.01 },
    policy: { ambient_channels: ["*"], calls_per_day: 1_000_000 },
  },
})
const supervisor = await openSupervisor({
  ...{ clock: systemClock, random: systemRandom, log: silentLog, chat, think, instructions: () => null },
  ...{ store: openChatStore({ db, random: systemRandom }), channels: [socketChannel()] },
})
await supervisor.start()
