import { busyRooms } from "../../../src/activities/initiate/busy-rooms.ts"
import { openInitiating } from "../../../src/activities/initiate/initiating.ts"
import { silentLog } from "../../../src/base/log.ts"
import type { ChatMessage, RoomRef } from "../../../src/chat/channels/channel.ts"
import { reduce } from "../../../src/chat/conversation/reduce.ts"
import { communityKey, roomKey } from "../../../src/chat/conversation/state.ts"
import { initiativeRules } from "../../../src/chat/initiative/rules.ts"
import { openPolicy } from "../../../src/chat/policy/room-policy.ts"
import { openSupervisor } from "../../../src/chat/supervisor/supervisor.ts"
import type { Database } from "../../../src/storage/database.ts"
import { createDraw } from "../../draw.ts"
import { createSeededRandom } from "../../seeded-random.ts"
import { createMemoryStore } from "../memory-store.ts"
import { ready } from "../simulation/clock.ts"
import { createModel } from "../simulation/model.ts"
import { createPlatform } from "../simulation/platform.ts"
import { drawThoughtConfig } from "./config.ts"
import { mediaPlantOf, roomWith, rulesWith, type ThoughtFault } from "./faults.ts"
import { createMediaSide } from "./media.ts"
import { createThinker } from "./model.ts"
import { type Crashes, mortalDatabase, mortalRooms, mortalThoughts } from "./mortal.ts"
import { createThoughtMemory } from "./store.ts"
import { createTimeline } from "./timeline.ts"
import { createThoughtWatch, type ThoughtViolation } from "./watch.ts"

export interface SimulatedThoughts {
  violations: ThoughtViolation[]
  actions: string[]
  messages: number
  /** Looks, calls of the model in them, and what people could read of it. */
  looks: number
  calls: number
  posts: number
  held: number
  restarts: number
  /** What servers were asked to make, and what was refused or failed. */
  media: { asked: number; refused: number }
}

interface Options {
  fault?: ThoughtFault | undefined
  /** Where the budgets of media are kept: with it thoughts and answers have media, and more goes wrong in a life. */
  media?: Database | undefined
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * One random life of four communities with thoughts of their own: the same seed always gives the same. Rooms, their
 * supervisor and the cycle are the program's; the platform, the models, the stores and the clock are made up.
 */
export async function simulateThoughts(
  seed: number,
  { fault, media: budgets }: Options = {},
): Promise<SimulatedThoughts> {
  const random = createSeededRandom(seed)
  const draw = createDraw(random)
  const name = `sim${seed}`
  const rooms = roomsOf(name)
  const timeline = createTimeline(random.next(), ready)
  const drawConfig = () => drawThoughtConfig(draw, budgets !== undefined)
  let chat = drawConfig()
  let policy = chat
  const watch = createThoughtWatch(timeline, () => chat.initiative.text)
  const counts = { messages: 0, looks: 0, calls: 0, restarts: 0 }
  let seen = 0
  const platform = createPlatform({
    ...{ name, remembers: draw.pick(["all", "all", "little", "nothing"] as const), draw, now: timeline.now },
    ...{ onDelivered: () => undefined, ignoresGate: false },
    seq() {
      queueMicrotask(readPosts)
      return ++seen
    },
  })
  /**
   * The program ends in the middle of its next post, when its room knows that it arrived and nobody else does yet, or
   * while the next media are made.
   */
  let endsWith: "post" | "delivery" | "media" | null = null
  /** Tells the watch what people can read, at the moment they can. */
  let told = 0
  const readPosts = () => {
    for (const { room, key, part } of platform.posts.slice(told)) if (part === 0) watch.posted(room, key)
    told = platform.posts.length
    if (endsWith === "post") life.die()
  }
  const talker = createModel(draw, () => undefined)
  const allKinds = ["image", "video", "gif"] as const
  /** Mostly of one kind, so that its budget is used up. */
  const kinds = budgets && draw.number(1, 4) > 1 ? [draw.pick(allKinds)] : allKinds
  const thinker = createThinker({
    ...{ draw, kinds, mediaOf3: budgets ? 2 : 1 },
    onLook([looked, { thought, run }], calls) {
      counts.looks += 1
      counts.calls += calls
      return watch.looked(looked, thought, run, calls)
    },
  })
  const kept = createMemoryStore()
  const memory = createThoughtMemory()
  const crashes: Crashes = { rooms: 0, thoughts: 0, media: 0, stuck: null }
  const settleStores = () => Object.assign(crashes, { rooms: 0, thoughts: 0, media: 0, stuck: null })
  const side =
    budgets &&
    (await createMediaSide({
      ...{ db: budgets, timeline, random, draw, chat: () => chat, broken: watch.broken },
      ...{ plant: mediaPlantOf(fault), kinds },
      onWorks() {
        if (endsWith !== "media") return
        endsWith = null
        timeline.later(draw.number(1, 4000), life.die)
      },
    }))
  const rules = watch.watched(rulesWith(initiativeRules, fault))
  const reducer = watch.watchedRooms(roomWith(reduce, fault))

  const live = async () => {
    let isDead = false
    const own = timeline.live()
    /** A disk that takes its time: the program may end before something is stored. */
    const slowMs = draw.pick([0, 0, 0, 2000, 30_000])
    const life = { isDead: () => isDead }
    const die = () => {
      endsWith = null
      isDead = true
      own.die()
      talker.asked = { answers: 0, others: 0 }
    }
    const mayAttach = (room: RoomRef) => openPolicy(policy)(room).postsMedia.allowed
    const make = side?.live(own, life, mortalDatabase(budgets as Database, life, crashes))
    const talk = talker.think(own, life)
    const supervisor = await openSupervisor({
      ...{ clock: own, random: createSeededRandom(seed), log: silentLog, chat: policy, reduce: reducer },
      store: mortalRooms(kept, life, crashes),
      ...{ think: side && make ? side.answering(talk, make, mayAttach) : talk, instructions: () => null },
      channels: [platform.connect(own, life)],
      onOwnPost(room, key, delivery) {
        if (endsWith === "delivery" && delivery.outcome === "posted") die()
        if (!isDead) initiating.onOwnPost(room, key, delivery)
      },
    })
    const begins = (room: RoomRef) => room.thread === null && openPolicy(policy)(room).startsTopics.allowed
    const initiating = openInitiating({
      ...{ clock: own, random: createSeededRandom(seed + counts.restarts), log: silentLog, chat, rules },
      store: mortalThoughts(memory, life, crashes, {
        wait: () => (slowMs === 0 ? undefined : new Promise<void>((resolve) => own.after(slowMs, resolve))),
        ...{ onFailed: watch.notStored, onStoring: watch.stores },
      }),
      host: {
        rooms: async () => (await kept.rooms(name, 100)).filter(begins),
        load: (room) => kept.load(roomKey(room)),
        busy: () => busyRooms(supervisor),
        say(room, words) {
          if (isDead) return
          watch.handed(words.key)
          supervisor.say(room, words)
        },
        takeCall(room) {
          if (isDead) return new Promise(() => {})
          watch.hasTurn(communityKey(room))
          return supervisor.takeCall(room)
        },
        spend: supervisor.spend,
      },
      budgetProblem: async () => (draw.number(1, 12) === 1 ? "The user needs it." : undefined),
      consider: thinker.look(own, { ...life, timeoutMs: chat.initiative.text.timeout_seconds * 1000 }),
      async prepare({ room, media }, signal) {
        const over = watch.making(communityKey(room))
        try {
          if (make === undefined)
            await new Promise<void>((resolve) => own.after(draw.pick([1, 1000, 4 * minuteMs]), resolve))
          else if (media !== null && mayAttach(room)) return await make(room, media, "post", signal)
        } finally {
          over()
        }
        return isDead ? new Promise(() => {}) : {}
      },
    })
    const stored = await memory.all()
    const opening = initiating.open()
    await timeline.advance(slowMs * rooms.length)
    await opening
    watch.begun(stored, initiating.states(), memory.journal)
    await supervisor.start()
    await ready()
    return { supervisor, initiating, die, slowMs, isDead: life.isDead }
  }
  let life = await live()

  const say = (changes: Partial<ChatMessage> = {}, room = draw.pick(rooms)) => {
    counts.messages += 1
    const by = draw.pick(["ann", "ann", "bob", "mallory"])
    const flags = { mentionsUs: false, isPrivate: false, isVoice: false, isOurs: false, replyTo: null }
    platform.say({
      ...{ id: `m${counts.messages}`, room, author: { id: by, name: by, isBot: false }, at: timeline.now() },
      ...{ text: `word ${counts.messages}`, ...flags, ...changes },
    })
  }
  const liveAgain = async () => {
    if (!life.isDead()) life.die()
    counts.restarts += 1
    await ready()
    if (draw.number(1, 2) === 1) timeline.jump(draw.pick([10 * minuteMs, hourMs, 8 * hourMs, 30 * hourMs]))
    if (draw.number(1, 3) === 1) {
      chat = drawConfig()
      policy = chat
    }
    settleStores()
    await side?.restarted()
    life = await live()
  }
  const tick = async () => {
    if (life.isDead()) await liveAgain()
    // The loop that the program runs it in goes on after a failure too.
    const ticking = life.initiating.tick().catch(() => undefined)
    let isOver = false
    ticking.then(() => {
      isOver = true
    })
    await ready()
    while (!isOver && !life.isDead()) await timeline.advance(Math.max(1, life.slowMs))
    await ready()
    watch.ticked()
  }
  const pass = async (minutes: number, every = minuteMs) => {
    for (let left = minutes; left > 0; left -= 1) {
      await timeline.advance(every)
      await tick()
    }
  }
  const act: Record<Action, () => Promise<void> | void> = {
    tick,
    message: () => say(),
    mention: () => say({ mentionsUs: true }),
    "some minutes": () => pass(draw.number(1, 6)),
    "some hours": () => pass(draw.number(2, 8), draw.pick([10 * minuteMs, hourMs, 5 * hourMs])),
    "a moment": () => timeline.advance(draw.pick([1, 900, 8000, 40_000])),
    reaction() {
      const room = draw.pick(rooms)
      const own = platform.said(room).filter(({ isOurs }) => isOurs)
      if (own.length > 0) platform.react(room, draw.pick(own).id)
    },
    cut: () => platform.cut(),
    mend: () => platform.mend(),
    "crash of a store": () => {
      const store = draw.pick(["rooms", "thoughts", "thoughts"] as const)
      if (store === "rooms") watch.disturbed()
      crashes[store] = draw.number(1, 5)
    },
    "end of the program": liveAgain,
    "end with the next post": () => {
      endsWith = draw.pick(["post", "delivery"])
    },
    "clock that jumps": () =>
      timeline.jump(draw.pick([-25 * hourMs, -hourMs, -5000, 5000, hourMs, 8 * hourMs, 25 * hourMs])),
    "crash of the media's store": () => {
      crashes.media = draw.number(1, 3)
    },
    "end while media are made": () => {
      endsWith = "media"
    },
    "many who ask": () => {
      const room = draw.pick(rooms)
      for (const by of ["ann", "bob", "cem"])
        say({ mentionsUs: true, author: { id: by, name: by, isBot: false } }, room)
      for (const other of rooms)
        if (other.community === room.community && other !== room) say({ mentionsUs: true }, other)
    },
    "a community that cannot be stored": () => {
      crashes.stuck = draw.pick([null, communityKey(draw.pick(rooms))])
    },
    command: () => say({ text: `Reverie, ${draw.pick(["mute", "unmute", "unmute"])}`, mentionsUs: true }),
    "other channels": () => {
      const discovery_channels = draw.pick([[], ["hall"], ["hall", "desk"]])
      policy = { ...chat, policy: { ...chat.policy, discovery_channels } }
      life.supervisor.configure(policy)
    },
  }
  const actions: string[] = []
  for (const room of rooms) say({}, room)
  for (let left = draw.number(10, 40); left > 0; left -= 1) {
    const action = draw.pick(side ? [...weighted, ...troubles] : weighted)
    actions.push(action)
    await act[action]()
    if (draw.number(1, 3) > 1) await ready()
  }
  settleStores()
  for (const one of [platform, talker, thinker, ...(side ? [side] : [])]) one.calm()
  platform.mend()
  endsWith = null
  await pass(30)
  // What began last ends, and nothing new begins: each of the four may wait for the others, whose looks take minutes.
  await timeline.advance(rooms.length * 20 * minuteMs)
  await ready()
  watch.atEnd(life.initiating.states(), memory.journal)
  life.die()
  const held = memory.journal.filter(({ kind }) => kind === "thought.held").length
  const posts = memory.journal.filter(({ kind }) => kind === "thought.posted").length
  const media = side?.counts ?? { asked: 0, refused: 0 }
  return { violations: watch.violations, actions, ...counts, posts, held, media }
}

/** Four communities with two channels each. */
function roomsOf(platform: string): RoomRef[] {
  return ["c1", "c2", "c3", "c4"].flatMap((community) =>
    ["hall", "desk"].map((channel) => ({ platform, community, channel, thread: null })),
  )
}

const weighted = [
  ...(["tick", "tick", "message", "message", "mention", "reaction"] as const),
  ...(["some minutes", "some minutes", "some minutes", "some hours", "some hours", "a moment"] as const),
  ...(["cut", "mend", "mend", "crash of a store", "end of the program", "end of the program"] as const),
  ...(["end with the next post", "clock that jumps", "command", "other channels"] as const),
]
/** What may also happen in lives with media, and to answers that want some. */
const troubles = [
  ...(["crash of the media's store", "a community that cannot be stored", "many who ask"] as const),
  ...(["many who ask", "end while media are made", "end while media are made"] as const),
]
type Action = (typeof weighted)[number] | (typeof troubles)[number]
