import { silentLog } from "../../src/base/log.ts"
import type { ChatMessage, RoomRef } from "../../src/chat/channels/channel.ts"
import { type Reduce, reduce } from "../../src/chat/conversation/reduce.ts"
import type { ConversationState } from "../../src/chat/conversation/state.ts"
import { openSupervisor, type Supervisor } from "../../src/chat/supervisor/supervisor.ts"
import { configSchema } from "../../src/config/schema.ts"
import { createDraw, type Draw } from "../draw.ts"
import { createSeededRandom } from "../seeded-random.ts"
import { createMemoryStore, type MemoryStore } from "./memory-store.ts"
import { createSimulationClock, ready } from "./simulation/clock.ts"
import { type Fault, withFault } from "./simulation/faults.ts"
import { createModel } from "./simulation/model.ts"
import { createPlatform } from "./simulation/platform.ts"
import { createWatch, type Violation } from "./simulation/watch.ts"

export interface Simulated {
  violations: Violation[]
  actions: string[]
  posts: number
  calls: number
  messages: number
}

const rooms: RoomRef[] = [
  { platform: "sim", community: "c", channel: "hall", thread: null },
  { platform: "sim", community: "c", channel: "hall", thread: "t1" },
  { platform: "sim", community: "c", channel: "desk", thread: null },
]

/** One random life of three rooms: the same seed always gives the same. */
export async function simulate(seed: number, { fault }: { fault?: Fault } = {}): Promise<Simulated> {
  const draw = createDraw(createSeededRandom(seed))
  const clock = createSimulationClock()
  const store = createMemoryStore()
  const chat = drawConfig(draw)
  const { ambient, attention, policy } = chat
  const watch = createWatch({
    ...{ unread: ambient.flush_hard_cap, answers: attention.max_concurrent_answers },
    ...{ others: ambient.max_concurrent_flushes, calls: policy.calls_per_day },
  })
  const isMention = (message: ChatMessage) =>
    message.mentionsUs && !message.author.isBot && message.author.id !== "mallory"
  const model = createModel(draw, () => watch.asked(model))
  const platform = createPlatform({
    ...{ draw, seq: watch.seq, now: clock.now, ignoresGate: fault === "ignores the gate" },
    onDelivered: (message) => watch.delivered(message, isMention(message)),
  })
  const crashes = { reducer: 0, saves: 0 }
  const reducer = watch.watched(crashing(withFault(reduce, fault), crashes))
  const said: ChatMessage[] = []
  const actions: string[] = []

  const live = async () => {
    let isDead = false
    const own = clock.live()
    const supervisor = await openSupervisor({
      ...{ clock: own, random: createSeededRandom(seed), log: silentLog, chat, reduce: reducer },
      ...{
        store: storeOf(store, () => isDead, crashes),
        think: model.think(own, { isDead: () => isDead }),
        instructions: () => null,
      },
      channels: [platform.connect(own, { isDead: () => isDead })],
    })
    await supervisor.start()
    await ready()
    const die = () => {
      isDead = true
      own.die()
      model.asked = { answers: 0, others: 0 }
    }
    return { supervisor, die }
  }
  let life = await live()

  const say = (message: ChatMessage) => {
    said.push(message)
    platform.say(message)
  }
  for (const room of rooms) say(drawMessage(draw, room, "first", clock.now()))
  await settle(life.supervisor)

  const act: Record<string, () => Promise<void> | void> = {
    message: () => say(drawMessage(draw, draw.pick(rooms), `m${said.length}`, clock.now())),
    mention: () =>
      say({ ...drawMessage(draw, draw.pick(rooms), `m${said.length}`, clock.now()), mentionsUs: true }),
    edit: () => platform.edit(draw.pick(said), "edited"),
    delete: () => platform.remove(draw.pick(said)),
    wait: () => clock.advance(draw.pick([1, 50, 900, 3000, 8000, 20_000])),
    cut: () => platform.cut(),
    mend: () => platform.mend(),
    "crash of a conversation": () => {
      crashes.reducer += 1
    },
    "crash of the store": () => {
      crashes.saves = 2
    },
    "end of the program": async () => {
      life.die()
      life = await live()
    },
    command: () => {
      const text = draw.pick(["mute", "unmute", "unmute", "leave this thread"])
      const base = drawMessage(draw, draw.pick(rooms), `m${said.length}`, clock.now())
      say({ ...base, text: `Reverie, ${text}` })
    },
  }
  for (let left = draw.number(10, 40); left > 0; left -= 1) {
    const name = draw.pick(weighted)
    actions.push(name)
    await act[name]?.()
    if (draw.number(1, 3) > 1) await ready()
  }
  Object.assign(crashes, { reducer: 0, saves: 0 })
  platform.calm()
  model.calm()
  platform.mend()
  await ready()
  await clock.advance(40 * 60_000)
  await settle(life.supervisor)
  const states = [...store.states.values()].map(({ state }): ConversationState => JSON.parse(state))
  const present = new Set(rooms.flatMap((room) => platform.said(room)).map(({ id }) => id))
  watch.atEnd({ platform, store, states, said: said.filter(({ id }) => present.has(id)) })
  const places = life.supervisor.status().slots
  if (places.answers + places.others + places.waiting > 0) {
    watch.violations.push({
      invariant: "every run ends",
      what: `places are still taken: ${JSON.stringify(places)}`,
    })
  }
  life.die()
  const { violations } = watch
  return { violations, actions, posts: platform.posts.length, calls: model.calls, messages: said.length }
}

async function settle(supervisor: Supervisor): Promise<void> {
  await supervisor.settled()
  await ready()
}

const weighted = [
  ...["message", "message", "message", "message", "mention", "mention", "wait", "wait", "wait", "wait"],
  ...["edit", "delete", "cut", "mend", "mend", "crash of a conversation", "crash of the store"],
  ...["end of the program", "command"],
]

function drawConfig(draw: Draw) {
  const cap = draw.number(2, 6)
  return configSchema.parse({
    chat: {
      ambient: {
        enabled: true,
        flush_interval_seconds: draw.pick([1, 5, 20]),
        flush_max_messages: draw.number(1, 5),
        flush_hard_cap: cap,
        max_concurrent_flushes: draw.number(1, 2),
        flush_timeout_seconds: draw.pick([5, 10]),
        context_window: draw.pick([0, 5]),
        cooldown_seconds: draw.pick([0, 3]),
        pool: { max_sessions: draw.number(1, 3), context_flushes: draw.number(0, 3) },
      },
      attention: {
        active_messages: draw.number(0, 3),
        active_minutes: draw.pick([0.1, 1]),
        max_concurrent_answers: draw.number(1, 2),
      },
      policy: {
        ambient_channels: draw.pick([["hall"], ["hall", "desk"]]),
        blocked_users: ["mallory"],
        calls_per_day: draw.pick([8, 1000]),
      },
    },
  }).chat
}

function drawMessage(draw: Draw, room: RoomRef, id: string, at: number): ChatMessage {
  const by = draw.pick(["ann", "ann", "bob", "cleo", "mallory", "ci"])
  const author = { id: by, name: by, isBot: by === "ci" }
  const flags = { mentionsUs: false, isPrivate: false, isVoice: false, isOurs: false }
  return {
    id: `${id}-${room.channel}-${room.thread ?? ""}`,
    room,
    author,
    text: `word ${id}`,
    at,
    replyTo: null,
    ...flags,
  }
}

/** Fails as often as it is told to. */
function crashing(inner: Reduce, crashes: { reducer: number }): Reduce {
  return (state, event, settings) => {
    if (crashes.reducer > 0) {
      crashes.reducer -= 1
      throw new Error("the conversation fell over")
    }
    return inner(state, event, settings)
  }
}

/** The store as one life of the program sees it: it fails when told to, and after death nothing arrives. */
function storeOf(store: MemoryStore, isDead: () => boolean, crashes: { saves: number }): MemoryStore {
  return {
    ...store,
    async save(saves) {
      if (isDead()) return new Promise(() => {})
      if (crashes.saves > 0) {
        crashes.saves -= 1
        throw new Error("disk full")
      }
      return store.save(saves)
    },
  }
}
