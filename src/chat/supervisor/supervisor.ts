import { type Clock, sleep } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Config } from "../../config/schema.ts"
import type { Core } from "../../storage/core.ts"
import type { Command } from "../attention/command.ts"
import type { Channel, ChannelEvent, ChatMessage, RoomRef } from "../channels/channel.ts"
import type { Effect } from "../conversation/effect.ts"
import type { OwnPost } from "../conversation/event.ts"
import { type Reduce, reduce } from "../conversation/reduce.ts"
import { type ConversationSettings, conversationSettings } from "../conversation/settings.ts"
import { type ConversationState, type Delivery, type Phase, phaseOf, roomKey } from "../conversation/state.ts"
import { openSessionPool } from "../listening/sessions.ts"
import { mutedPolicy, openPolicy } from "../policy/room-policy.ts"
import { openChatBudget } from "./budget.ts"
import { openCatchUp } from "./catch-up.ts"
import { type Conversation, type EventInput, startConversation } from "./conversation.ts"
import { openDeadlines } from "./deadlines.ts"
import { type FindFiles, openOutbound } from "./outbound.ts"
import { openRuns } from "./runs.ts"
import { openSlots, type SlotSizes, type Slots } from "./slots.ts"
import { steadyClock } from "./steady-clock.ts"
import { type ChatStore, isOpen } from "./store.ts"
import type { Think } from "./think.ts"
import { openWriter } from "./writer.ts"

export interface SupervisorNeeds extends Pick<Core, "clock" | "random" | "log"> {
  store: ChatStore
  think: Think
  /** Reads the operator's current instructions. */
  instructions(): string | null
  channels: readonly Channel[]
  chat: Config["chat"]
  findFiles?: FindFiles | undefined
  /** Called with the delivery of each post of its own, after it is stored. */
  onOwnPost?: ((room: RoomRef, key: string, delivery: Delivery) => void) | undefined
  /** Whether it starts muted everywhere. */
  isMuted?: boolean
  /** Replaces the state machine and the number of loaded conversations, in tests. */
  reduce?: Reduce
  maxLoaded?: number
}

/** All conversations of all channels. */
export interface Supervisor {
  /** Connects the channels; one that fails does not block the others. */
  start(): Promise<void>
  /** Applies new settings to all conversations. */
  configure(chat: Config["chat"]): void
  command(room: RoomRef, command: Command, by: string): void
  /** Sends a post of its own, if the room is idle; its delivery is reported to `onOwnPost`. */
  say(room: RoomRef, saying: OwnPost): void
  /** Counts a model call that is made for a community outside of its rooms, or refuses it. */
  takeCall(room: RoomRef): Promise<{ outcome: "taken" } | { outcome: "refused"; reason: string }>
  /** Counts the cost of such a call. */
  spend(room: RoomRef, usd: number): void
  /** Forgets an author's messages in all rooms of the community. */
  forgetAuthor(room: RoomRef, author: string): Promise<void>
  /** Mutes it everywhere, or ends that. */
  muteAll(isMuted: boolean): void
  isMutedEverywhere(): boolean
  status(): ChatStatus
  /** Settles when all events so far are handled and stored. */
  settled(): Promise<void>
  /** Stops everything; interrupted work continues at the next start. */
  stop(): Promise<void>
}

export interface ChatStatus {
  rooms: { room: RoomRef; phase: Phase; unread: number }[]
  slots: ReturnType<Slots["use"]>
}

/** At most this many conversations stay loaded; beyond it, those at rest are unloaded. */
const maxLoaded = 2000
/** At most this many rooms of a platform are read. */
const maxRooms = 5000
/** How many messages are checked for one that may have been sent; the second if the first do not reach back far enough. */
const checkedMessages = [50, 1000]
/** How long to wait for a platform's first connection before its history is read. */
const connectTimeoutMs = 60_000

/** Opens the supervisor of all conversations. */
export async function openSupervisor(needs: SupervisorNeeds): Promise<Supervisor> {
  const { random, log, store } = needs
  const wall = needs.clock
  const clock = steadyClock(wall)
  const awakeLimit = needs.maxLoaded ?? maxLoaded
  let { chat } = needs
  let isMuted = needs.isMuted ?? false
  const policyNow = () => (isMuted ? mutedPolicy(openPolicy(chat)) : openPolicy(chat))
  let policy = policyNow()
  let settingsOf = new Map<string, ConversationSettings>()
  const channels = new Map(needs.channels.map((channel) => [channel.platform, channel]))
  const awake = new Map<string, Conversation>()
  const connected = new Map(needs.channels.map(({ platform }) => [platform, createLatch(clock)]))
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
    if (settingsOf.size >= maxRooms) settingsOf.clear()
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
        lacksHistory: ({ platform }) => channels.get(platform)?.capabilities.history !== true,
      },
      { room, key, stored: async () => stored ?? (await store.load(key)) },
    )
    awake.set(key, conversation)
    // Live messages from here on come after those that this room may have missed.
    if (catchingUp.isAt(room.platform)) conversation.post({ kind: "gap" })
    unloadIdle()
    return conversation
  }
  /** Unloads the least recently used conversations that are at rest. */
  const unloadIdle = () => {
    for (const [key, one] of awake) {
      if (awake.size <= awakeLimit) return
      awake.delete(key)
      if (!one.isIdle() || isOpen(one.state()) || writer.has(key)) {
        awake.set(key, one)
        return
      }
    }
  }
  const post = (room: RoomRef, input: EventInput) => {
    if (!isStopped) conversationIn(room).post(input)
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
      case "react":
        return outbound.send(conversation, channel, effect)
      case "typing":
        return outbound.typing(conversation, channel, effect.on)
      case "deadline":
        return deadlines.set(conversation.key, effect.at)
      case "own-ended":
        return needs.onOwnPost?.(conversation.room, effect.key, effect.delivery)
      case "fetch-history":
        return inBackground(check(conversation, channel, effect.run))
      case "acknowledge":
        if (channel.capabilities.reactions) {
          inBackground(channel.react(conversation.room, effect.message, effect.emoji))
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
      reason: "Other rooms were used more recently (chat.ambient.pool.max_sessions).",
    })
  }
  function onRestart(conversation: Conversation): void {
    runs.abortAll(conversation, "The conversation had failed.")
    outbound.abortAll(conversation)
    deadlines.set(conversation.key, null)
  }
  const check = async (conversation: Conversation, channel: Channel, run: string) => {
    // Before the platform is connected its history is empty, which would prove nothing.
    if (channel.capabilities.history)
      await connected.get(channel.platform)?.first(connectTimeoutMs, stopping.signal)
    if (isStopped) return
    const found = channel.capabilities.history ? await lookBack(conversation, channel) : null
    conversation.post({ kind: "checked", run, found })
  }
  /** The history since the messages that a run answers, including these if it reaches back far enough. */
  const lookBack = async ({ room, state }: Conversation, channel: Channel) => {
    const own = new Set(state().run?.messages.map(({ id }) => id))
    let found: ChatMessage[] | null = null
    for (const limit of checkedMessages) {
      found = await channel.history(room, { limit }).catch(() => null)
      if (found === null || found.length < limit || found.some(({ id }) => own.has(id))) break
    }
    return found
  }
  const inBackground = (work: Promise<unknown>) => {
    work.catch((error) => log.warn("Background work in a chat channel failed.", { reason: messageOf(error) }))
  }
  const catchingUp = openCatchUp({
    ...{ clock, log, signal: stopping.signal, conversationIn },
    loaded: (platform) => [...awake.values()].filter(({ room }) => room.platform === platform),
    rooms: (platform) => store.rooms(platform, maxRooms),
    mayFetch(room) {
      const { answers, listens } = settingsFor(room).policy
      return answers.allowed || listens.allowed
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
        const reason = "The program was restarted."
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
      for (const room of await store.rooms(platform, maxRooms)) {
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
        runs.abortAll(conversation, "The program is stopping.")
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

/** An event that happens once, and that can be awaited. */
function createLatch(clock: Clock) {
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
