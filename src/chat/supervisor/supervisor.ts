import { type Clock, sleep } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Config } from "../../config/schema.ts"
import type { Core } from "../../storage/core.ts"
import type { Command } from "../attention/command.ts"
import type { Channel, ChannelEvent, ChatMessage, RoomRef } from "../channels/channel.ts"
import type { Effect } from "../conversation/effect.ts"
import type { OwnWords } from "../conversation/event.ts"
import { type Reduce, reduce } from "../conversation/reduce.ts"
import { type ConversationSettings, conversationSettings } from "../conversation/settings.ts"
import { type ConversationState, type Delivery, type Phase, phaseOf, roomKey } from "../conversation/state.ts"
import { openSessionPool } from "../listening/sessions.ts"
import { mutedPolicy, openPolicy } from "../policy/room-policy.ts"
import { openChatBudget } from "./budget.ts"
import { openCatchingUp } from "./catch-up.ts"
import { type Conversation, type Happening, startConversation } from "./conversation.ts"
import { openDeadlines } from "./deadlines.ts"
import { type FindFiles, openOutbound } from "./outbound.ts"
import { openRuns } from "./runs.ts"
import { openSlots, type SlotSizes, type Slots } from "./slots.ts"
import { steadyClock } from "./steady-clock.ts"
import type { ChatStore } from "./store.ts"
import type { Think } from "./think.ts"
import { openWriter } from "./writer.ts"

/** What chat needs from the rest of the program. */
export interface SupervisorNeeds extends Pick<Core, "clock" | "random" | "log"> {
  store: ChatStore
  think: Think
  /** The operator's instructions as they are now. */
  instructions(): string | null
  channels: readonly Channel[]
  chat: Config["chat"]
  /** Finds files that were made for something said; none are without it. */
  findFiles?: FindFiles | undefined
  /** Hears what came of something of its own that was to be said, after it is stored. */
  onOwn?: ((room: RoomRef, key: string, delivery: Delivery) => void) | undefined
  /** Whether it is muted everywhere from the start. */
  isMuted?: boolean
  /** What a conversation does, and how many stay in memory; given only to try it out. */
  reduce?: Reduce
  mostAwake?: number
}

/** All conversations of all channels. */
export interface Supervisor {
  /** Connects the channels; one that cannot be started does not keep the others from it. */
  start(): Promise<void>
  /** Settings changed: each conversation goes by the new ones from its next event on. */
  configure(chat: Config["chat"]): void
  command(room: RoomRef, command: Command, by: string): void
  /** Says something of its own in a room, where nothing else is going on; `onOwn` tells what came of it. */
  say(room: RoomRef, saying: OwnWords): void
  /** Counts a call of a model that is made for a community outside of its rooms, or says why none may be made. */
  takeCall(room: RoomRef): Promise<{ outcome: "taken" } | { outcome: "refused"; reason: string }>
  /** Counts what such a call cost. */
  spend(room: RoomRef, usd: number): void
  /** Somebody wants what they said forgotten, in all rooms of the community. */
  forgetAuthor(room: RoomRef, author: string): Promise<void>
  /** Nothing is said or read anywhere, or again as the policy has it. */
  muteAll(isMuted: boolean): void
  isMutedEverywhere(): boolean
  status(): ChatStatus
  /** Settles when everything that happened so far is worked through and stored. */
  settled(): Promise<void>
  /** Stops everything; what was under way is gone on with at the next start. */
  stop(): Promise<void>
}

export interface ChatStatus {
  rooms: { room: RoomRef; phase: Phase; unread: number }[]
  slots: ReturnType<Slots["use"]>
}

/** So many conversations stay in memory; beyond it those that rest are put away. */
const mostAwake = 2000
/** So many rooms of a platform are looked at. */
const mostRooms = 5000
/** How many messages are looked through for something that may have been sent; more where these do not reach back. */
const checkedMessages = [50, 1000]
/** So long a platform has to be there for the first time before it is asked what was said. */
const longestConnectingMs = 60_000

/** Opens the supervisor with what was stored of the platforms it has channels for. */
export async function openSupervisor(needs: SupervisorNeeds): Promise<Supervisor> {
  const { random, log, store } = needs
  const wall = needs.clock
  const clock = steadyClock(wall)
  const awakeLimit = needs.mostAwake ?? mostAwake
  let { chat } = needs
  let isMuted = needs.isMuted ?? false
  const policyNow = () => (isMuted ? mutedPolicy(openPolicy(chat)) : openPolicy(chat))
  let policy = policyNow()
  let settingsOf = new Map<string, ConversationSettings>()
  const channels = new Map(needs.channels.map((channel) => [channel.platform, channel]))
  const awake = new Map<string, Conversation>()
  const background = new Set<Promise<void>>()
  const connected = new Map(needs.channels.map(({ platform }) => [platform, firstTime(clock)]))
  const stopping = new AbortController()
  let isStopped = false

  const writer = openWriter({ store, clock, log })
  const slots = openSlots(slotSizes(chat))
  const sessions = openSessionPool(chat.ambient.pool.max_sessions)
  const deadlines = openDeadlines({ clock }, (key) => awake.get(key)?.post({ kind: "deadline" }))
  const limits = () => ({ callsPerDay: chat.policy.calls_per_day, usdPerDay: chat.policy.usd_per_day })
  const budget = await openChatBudget({ store, limits }, wall.now())
  const outbound = openOutbound(needs.findFiles)
  const runs = openRuns({
    ...{ think: needs.think, slots, budget, clock: wall, instructions: needs.instructions },
    policy: (room) => settingsFor(room).policy,
    context: () => ({
      window: chat.ambient.context_window,
      allowBots: chat.ambient.allow_bot_messages,
      debug: chat.ambient.debug,
    }),
  })

  function settingsFor(room: RoomRef): ConversationSettings {
    const key = roomKey(room)
    const known = settingsOf.get(key)
    if (known) return known
    if (settingsOf.size >= mostRooms) settingsOf.clear()
    const made = conversationSettings(chat, policy, room)
    settingsOf.set(key, made)
    return made
  }
  const conversationIn = (room: RoomRef, stored?: ConversationState): Conversation => {
    const key = roomKey(room)
    const there = awake.get(key)
    if (there) return there
    const conversation = startConversation(
      {
        ...{ reduce: needs.reduce ?? reduce, settings: settingsFor, writer, perform, onRestart },
        ...{ clock, wallTime: () => wall.now(), chance: () => random.next() },
        isFleeting: ({ platform }) => channels.get(platform)?.capabilities.history !== true,
      },
      { room, key, stored: async () => stored ?? (await store.load(key)) },
    )
    awake.set(key, conversation)
    // What is said live from here on comes after what this room may have missed.
    if (catchingUp.isAt(room.platform)) conversation.post({ kind: "gap" })
    putToRest()
    return conversation
  }
  /** Those that were used longest ago go first, and only if nothing is going on in them. */
  const putToRest = () => {
    for (const [key, one] of awake) {
      if (awake.size <= awakeLimit) return
      awake.delete(key)
      const { run, waiting, buffer, active, aside } = one.state()
      const rests =
        run === null && active === null && [waiting, buffer, aside].every((list) => list.length === 0)
      if (!one.isIdle() || !rests || writer.has(key)) {
        awake.set(key, one)
        return
      }
    }
  }
  const post = (room: RoomRef, happening: Happening) => {
    if (!isStopped) conversationIn(room).post(happening)
  }
  function perform(conversation: Conversation, effect: Effect) {
    const channel = channels.get(conversation.room.platform)
    if (channel === undefined) return
    switch (effect.kind) {
      case "start-run":
        return runs.start(conversation, channel, effect.run)
      case "abort-run":
        runs.abort(conversation, effect.run, effect.reason)
        return outbound.abort(conversation, effect.run)
      case "send":
        return outbound.send(conversation, channel, effect)
      case "react":
        return outbound.send(conversation, channel, effect)
      case "typing":
        return outbound.typing(conversation, channel, effect.on)
      case "deadline":
        return deadlines.set(conversation.key, effect.at)
      case "own-ended":
        return needs.onOwn?.(conversation.room, effect.key, effect.delivery)
      case "fetch-history":
        return inBackground(check(conversation, channel, effect.run))
      case "acknowledge":
        if (channel.capabilities.reactions) {
          inBackground(channel.react(conversation.room, effect.message, effect.emoji).then(() => undefined))
        }
        return
      case "journal":
        if (effect.entry.kind === "chat.silenced" || effect.entry.kind === "chat.replied")
          usePool(conversation)
    }
  }
  const usePool = ({ key }: Conversation) => {
    const gone = sessions.use(key)
    if (gone === undefined) return
    awake.get(gone)?.post({
      kind: "context-forgotten",
      reason: "Other rooms were used since (chat.ambient.pool.max_sessions).",
    })
  }
  function onRestart(conversation: Conversation): void {
    runs.abortAll(conversation, "The conversation had failed.")
    outbound.abortAll(conversation)
    deadlines.set(conversation.key, null)
  }
  const check = async (conversation: Conversation, channel: Channel, run: string) => {
    // Before the platform is there nothing is found, which would not mean that nothing was said.
    if (channel.capabilities.history)
      await connected.get(channel.platform)?.first(longestConnectingMs, stopping.signal)
    if (isStopped) return
    const found = channel.capabilities.history ? await lookBack(conversation, channel) : null
    conversation.post({ kind: "checked", run, found })
  }
  /** What was said since the messages that a run answers, and these too where they can be had. */
  const lookBack = async ({ room, state }: Conversation, channel: Channel) => {
    const own = new Set(state().run?.messages.map(({ id }) => id))
    let found: ChatMessage[] | null = null
    for (const limit of checkedMessages) {
      found = await channel.history(room, { limit }).catch(() => null)
      if (found === null || found.length < limit || found.some(({ id }) => own.has(id))) break
    }
    return found
  }
  const inBackground = (work: Promise<void>) => {
    const done = work
      .catch((error) => log.warn("Something in a chat channel failed.", { reason: messageOf(error) }))
      .finally(() => background.delete(done))
    background.add(done)
  }
  const catchingUp = openCatchingUp({
    ...{ clock, log, signal: stopping.signal, conversationIn },
    awake: (platform) => [...awake.values()].filter(({ room }) => room.platform === platform),
    rooms: (platform) => store.rooms(platform, mostRooms),
    mayFetch(room) {
      const { answers, listens } = settingsFor(room).policy
      return answers.is || listens.is
    },
  })
  const onEvent = (channel: Channel) => (event: ChannelEvent) => {
    if (isStopped) return
    switch (event.kind) {
      case "message":
        return post(event.message.room, event)
      case "edited":
      case "deleted":
      case "reaction":
        return post(event.room, event)
      case "connected":
        connected.get(channel.platform)?.happened()
        if (event.mayHaveMissed) inBackground(catchingUp.catchUp(channel))
        return
      case "disconnected":
      case "problem": {
        const problem = event.kind === "problem" ? event.problem : event.reason
        log.warn("A chat channel has a problem.", { platform: channel.platform, problem })
      }
    }
  }
  const startChannel = async (channel: Channel) => {
    try {
      for (const state of await store.loadOpen(channel.platform)) {
        const reason = "The program was started anew."
        conversationIn(state.room, state).post({ kind: "restarted", reason, isNewProcess: true })
      }
      await channel.start(onEvent(channel))
    } catch (error) {
      onEvent(channel)({ kind: "problem", problem: messageOf(error), isFatal: true, at: clock.now() })
    }
  }

  const applyPolicy = () => {
    policy = policyNow()
    settingsOf = new Map()
    for (const conversation of awake.values()) conversation.post({ kind: "settings-changed" })
  }

  return {
    async start() {
      await Promise.all(needs.channels.map(startChannel))
    },
    configure(next) {
      chat = next
      slots.resize(slotSizes(chat))
      sessions.resize(chat.ambient.pool.max_sessions)
      applyPolicy()
    },
    async forgetAuthor({ platform, community }, author) {
      for (const room of await store.rooms(platform, mostRooms)) {
        if (room.community === community) post(room, { kind: "author-forgotten", author })
      }
    },
    muteAll(next) {
      isMuted = next
      applyPolicy()
    },
    isMutedEverywhere: () => isMuted,
    command: (room, command, by) => post(room, { kind: "command", command, by }),
    say: (room, words) => post(room, { kind: "say", ...words }),
    async takeCall(room) {
      const taken = budget.take(room, wall.now())
      if (taken.outcome === "refused") return taken
      const conversation = conversationIn(room)
      conversation.count({ calls: 1 })
      await conversation.save()
      return taken
    },
    spend(room, usd) {
      conversationIn(room).count({ microUsd: Math.round(usd * 1e6) })
      budget.spend(room, wall.now(), usd)
    },
    status() {
      const rooms = [...awake.values()].map((one) => {
        const state = one.state()
        return { room: one.room, phase: phaseOf(state), unread: state.buffer.length }
      })
      return { rooms, slots: slots.use() }
    },
    async settled() {
      await Promise.all([...awake.values()].map((one) => one.settled()))
      await writer.flush()
    },
    async stop() {
      isStopped = true
      stopping.abort()
      deadlines.stop()
      for (const conversation of awake.values()) {
        conversation.stop()
        runs.abortAll(conversation, "The program stops.")
        outbound.abortAll(conversation)
      }
      await Promise.all(needs.channels.map((channel) => channel.stop().catch(() => undefined)))
      await Promise.all([...awake.values()].map((one) => one.settled()))
      await writer.flush()
    },
  }
}

function slotSizes({ ambient, attention }: Config["chat"]): SlotSizes {
  return { answers: attention.max_concurrent_answers, others: ambient.max_concurrent_flushes }
}

/** Something that happens sooner or later, and that can be waited for. */
function firstTime(clock: Clock) {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    happened: resolve,
    async first(mostMs: number, signal: AbortSignal) {
      const done = new AbortController()
      await Promise.race([promise, sleep(clock, mostMs, AbortSignal.any([signal, done.signal]))])
      done.abort()
    },
  }
}
