import { sleep } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import type { ChatMessage, RoomRef } from "../../src/chat/channels/channel.ts"
import { type Reduce, reduce } from "../../src/chat/conversation/reduce.ts"
import { roomKey } from "../../src/chat/conversation/state.ts"
import { type ChatStore, dayOf } from "../../src/chat/supervisor/store.ts"
import { openSupervisor } from "../../src/chat/supervisor/supervisor.ts"
import type { Config } from "../../src/config/schema.ts"
import { createDraw, type Draw } from "../draw.ts"
import { until } from "../manual-clock.ts"
import { createSeededRandom } from "../seeded-random.ts"
import { createMemoryStore, type Kept } from "./memory-store.ts"
import { createSimulationClock, ready } from "./simulation/clock.ts"
import { drawConfig } from "./simulation/config.ts"
import { createDeliveries, type Deliveries } from "./simulation/deliveries.ts"
import { type Fault, withFault } from "./simulation/faults.ts"
import { createModel } from "./simulation/model.ts"
import { createPlatform, type Remembers } from "./simulation/platform.ts"
import { createWatch, type Violation } from "./simulation/watch.ts"

export interface Simulated {
  violations: Violation[]
  actions: string[]
  remembers: Remembers
  posts: number
  calls: number
  messages: number
}

/** A store to live on: all that is of one platform is of one life. */
export interface SimulatedStore extends ChatStore {
  all(platform: string): Promise<Kept>
}

interface Options {
  fault?: Fault
  /** A database instead of memory. */
  store?: SimulatedStore
}

/** One random life of some rooms: the same seed always gives the same. */
export async function simulate(seed: number, { fault, store: given }: Options = {}): Promise<Simulated> {
  const draw = createDraw(createSeededRandom(seed))
  const name = `sim${seed}`
  const rooms = roomsOf(name)
  const remembers: Remembers = draw.pick(["all", "all", "all", "little", "nothing"])
  const { busy, counted } = createBusy(given ?? createMemoryStore())
  /** Everything that is ready runs; a database may need more than one turn. */
  const rest = async () => {
    await ready()
    if (busy() > 0) await until(() => busy() === 0)
    deliveries.rested()
  }
  const clock = createSimulationClock(() => rest())
  const deliveries = createDeliveries(remembers, clock.gone)
  let chat = drawConfig(draw)
  const watch = createWatch(capsOf(chat))
  const isMention = ({ author, mentionsUs, isPrivate, text }: ChatMessage) =>
    !text.startsWith("Reverie,") &&
    (isPrivate ? chat.policy.private_messages : mentionsUs) &&
    !author.isBot &&
    author.id !== "mallory"
  const days = new Set<string>()
  const model = createModel(draw, (input) => {
    days.add(dayOf(clock.now()))
    watch.asked(model, input)
  })
  const platform = createPlatform({
    ...{ name, remembers, draw, seq: watch.seq, now: clock.now },
    ...{ ignoresGate: fault === "ignores the gate" },
    onDelivered(message) {
      deliveries.delivered(message)
      watch.delivered(message, isMention(message))
    },
  })
  const crashes = { reducer: 0, saves: 0, loads: 0 }
  const reducer = watch.watched(crashing(withFault(reduce, fault), crashes))
  const mostAwake = draw.pick([2, 100])
  const said: ChatMessage[] = []
  const actions: string[] = []

  const live = async () => {
    let isDead = false
    const own = clock.live()
    const delay = fault === "stores late" ? () => sleep(own, 400) : undefined
    const supervisor = await openSupervisor({
      ...{
        clock: own,
        random: createSeededRandom(seed),
        log: silentLog,
        chat,
        reduce: reducer,
        maxLoaded: mostAwake,
      },
      ...{
        store: storeOf(counted, { isDead: () => isDead, crashes, deliveries, delay }),
        think: model.think(own, { isDead: () => isDead }),
        instructions: () => null,
      },
      channels: [platform.connect(own, { isDead: () => isDead })],
    })
    await supervisor.start()
    await rest()
    const die = () => {
      isDead = true
      own.die()
      deliveries.died()
      model.asked = { answers: 0, others: 0 }
    }
    return { supervisor, die }
  }
  let life = await live()

  const say = (changes: Partial<ChatMessage> = {}) => {
    const room = draw.pick(rooms)
    const message = { ...drawMessage(draw, room, `m${said.length}`, clock.now()), ...changes }
    said.push(message)
    deliveries.said(message)
    platform.say(message)
  }
  const act: Record<(typeof weighted)[number], () => Promise<void> | void> = {
    message: () => say(),
    mention: () => say({ mentionsUs: true }),
    edit: () => (said.length > 0 ? platform.edit(draw.pick(said), "edited") : undefined),
    delete: () => (said.length > 0 ? platform.remove(draw.pick(said)) : undefined),
    wait: () => clock.advance(draw.pick([1, 50, 900, 3000, 8000, 20_000])),
    cut: () => platform.cut(),
    mend: () => platform.mend(),
    "crash of a conversation": () => {
      crashes.reducer += 1
    },
    "crash of the store": () => {
      crashes.saves = 2
    },
    "store that cannot be read": () => {
      crashes.loads = 2
    },
    "end of the program": async () => {
      life.die()
      // What the store was doing is done or not when the next life begins.
      await until(() => busy() === 0)
      // The machine may be off for a while.
      if (draw.number(1, 4) === 1) clock.jump(draw.pick([60_000, 8 * 3_600_000]))
      crashes.loads = 0
      life = await live()
    },
    command: () => {
      const text = draw.pick(["mute", "unmute", "unmute", "leave this thread"])
      say({ text: `Reverie, ${text}` })
    },
    thought: () =>
      life.supervisor.say(draw.pick(rooms), {
        run: draw.pick(["pending thought", "fresh thought"] as const),
        ...{ key: `own-${actions.length}`, text: `own ${actions.length}`, replyTo: null, reason: "idle" },
      }),
    "change of settings": () => {
      chat = drawConfig(draw)
      watch.allow(capsOf(chat))
      life.supervisor.configure(chat)
    },
    "clock that jumps": () => clock.jump(draw.pick([-3_600_000, -5000, 5000, 3_600_000, 8 * 3_600_000])),
  }
  for (let left = draw.number(10, 40); left > 0; left -= 1) {
    const action = draw.pick(weighted)
    actions.push(action)
    await act[action]()
    if (draw.number(1, 3) > 1) await rest()
  }
  Object.assign(crashes, { reducer: 0, saves: 0, loads: 0 })
  platform.calm()
  model.calm()
  platform.mend()
  await rest()
  await clock.advance(40 * 60_000)
  await life.supervisor.settled()
  await rest()
  const kept = await counted.all(name)
  const present = new Set(rooms.flatMap((room) => platform.said(room)).map(({ id }) => id))
  const usage = await Promise.all([...days].map((day) => counted.usageOf(day)))
  watch.atEnd({
    ...{ platform, kept },
    said: said.filter((message) => present.has(message.id) && !deliveries.isExcused(message)),
    calls: usage.flat().flatMap((one) => (one.platform === name ? [one.calls] : [])),
  })
  const places = life.supervisor.status().slots
  if (places.answers + places.others + places.waiting > 0) {
    watch.violations.push({
      invariant: "every run ends",
      what: `places are still taken: ${JSON.stringify(places)}`,
    })
  }
  life.die()
  const { violations } = watch
  const counts = { posts: platform.posts.length, calls: model.calls, messages: said.length }
  return { violations, actions, remembers, ...counts }
}

/** A channel with two threads, one that is not always listened to, and somebody's private messages. */
function roomsOf(platform: string): RoomRef[] {
  const hall = { platform, community: "c", channel: "hall", thread: null }
  return [
    hall,
    { ...hall, thread: "t1" },
    { ...hall, thread: "t2" },
    { ...hall, channel: "desk" },
    { ...hall, community: "dm:ann", channel: "ann" },
  ]
}

const weighted = [
  ...(["message", "message", "message", "message", "message", "mention", "mention", "mention"] as const),
  ...(["wait", "wait", "wait", "wait", "wait", "edit", "delete", "cut", "mend", "mend"] as const),
  ...(["crash of a conversation", "crash of the store", "store that cannot be read"] as const),
  ...(["end of the program", "command", "thought", "change of settings", "clock that jumps"] as const),
]

function capsOf({ attention, ambient, policy }: Config["chat"]) {
  return {
    ...{ answers: attention.max_concurrent_answers, others: ambient.max_concurrent_flushes },
    calls: policy.calls_per_day,
  }
}

function drawMessage(draw: Draw, room: RoomRef, id: string, at: number): ChatMessage {
  const isPrivate = room.community.startsWith("dm:")
  const by = isPrivate ? "ann" : draw.pick(["ann", "ann", "bob", "cleo", "mallory", "ci"])
  const author = { id: by, name: by, isBot: by === "ci" }
  const flags = { mentionsUs: false, isPrivate, isVoice: false, isOurs: false }
  const own = `${id}-${room.channel}-${room.thread ?? ""}`
  return { id: own, room, author, text: `word ${id}`, at, replyTo: null, ...flags }
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

/** Counts what a store has under way. */
function createBusy(store: SimulatedStore) {
  let count = 0
  const counting =
    <A extends unknown[], T>(work: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      count += 1
      try {
        return await work(...given)
      } finally {
        count -= 1
      }
    }
  const counted: SimulatedStore = {
    load: counting(store.load),
    loadOpen: counting(store.loadOpen),
    rooms: counting(store.rooms),
    save: counting(store.save),
    usageOf: counting(store.usageOf),
    all: store.all,
  }
  return { counted, busy: () => count }
}

interface StoreLife {
  isDead(): boolean
  crashes: { saves: number; loads: number }
  deliveries: Deliveries
  delay: (() => Promise<void>) | undefined
}

/** The store as one life of the program sees it: it fails when told to, and after death nothing arrives. */
function storeOf(store: ChatStore, { isDead, crashes, deliveries, delay }: StoreLife): ChatStore {
  const fail = () => {
    deliveries.failed()
    throw new Error("disk full")
  }
  return {
    ...store,
    async load(key) {
      if (crashes.loads > 0) {
        crashes.loads -= 1
        deliveries.read(key, false)
        fail()
      }
      const found = await store.load(key)
      deliveries.read(key, true)
      return found
    },
    async save(saves) {
      if (isDead()) return new Promise(() => {})
      if (crashes.saves > 0) {
        crashes.saves -= 1
        fail()
      }
      await delay?.()
      if (isDead()) return new Promise(() => {})
      await store.save(saves)
      for (const { room, state } of saves) deliveries.stored(roomKey(room), state.seen)
    },
  }
}
