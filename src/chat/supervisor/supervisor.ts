import type { Clock } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Log } from "../../base/log.ts"
import type { Random } from "../../base/random.ts"
import type { Config } from "../../config/schema.ts"
import type { Command } from "../attention/command.ts"
import type { Channel, ChannelEvent, ChatMessage, RoomRef } from "../channels/channel.ts"
import type { Effect } from "../conversation/effect.ts"
import { type Reduce, reduce } from "../conversation/reduce.ts"
import { type ConversationSettings, conversationSettings } from "../conversation/settings.ts"
import { type ConversationState, type Phase, phaseOf, type RunKind, roomKey } from "../conversation/state.ts"
import { openSessionPool } from "../listening/sessions.ts"
import { mutedPolicy, openPolicy } from "../policy/room-policy.ts"
import { openChatBudget } from "./budget.ts"
import { type Conversation, type Happening, startConversation } from "./conversation.ts"
import { openDeadlines } from "./deadlines.ts"
import { openOutbound } from "./outbound.ts"
import { openRuns } from "./runs.ts"
import { openSlots, type SlotSizes } from "./slots.ts"
import type { ChatStore } from "./store.ts"
import type { Think } from "./think.ts"
import { openWriter } from "./writer.ts"

/** What chat needs from the rest of the program. */
export interface SupervisorNeeds {
  clock: Clock
  random: Random
  log: Log
  store: ChatStore
  think: Think
  /** The operator's instructions as they are now. */
  instructions(): string | null
  channels: readonly Channel[]
  chat: Config["chat"]
  /** Whether it is muted everywhere from the start. */
  isMuted?: boolean
  /** What a conversation does; other than `reduce` only to try it out. */
  reduce?: Reduce
}

/** All conversations of all channels. */
export interface Supervisor {
  /** Connects the channels; one that cannot be started does not keep the others from it. */
  start(): Promise<void>
  /** Settings changed: each conversation goes by the new ones from its next event on. */
  configure(chat: Config["chat"]): void
  command(room: RoomRef, command: Command, by: string): void
  /** Asks for a thought of its own in a room, where nothing else is going on. */
  think(room: RoomRef, run: Extract<RunKind, "pending thought" | "fresh thought">, about: string): void
  /** Somebody wants what they said forgotten, in all rooms of the community. */
  forgetAuthor(room: RoomRef, author: string): Promise<void>
  /** Nothing is said or read anywhere, or again as the policy has it. */
  muteAll(isMuted: boolean): void
  status(): ChatStatus
  /** Settles when everything that happened so far is worked through and stored. */
  settled(): Promise<void>
  /** Stops everything; what was under way is gone on with at the next start. */
  stop(): Promise<void>
}

export interface ChatStatus {
  rooms: { room: RoomRef; phase: Phase; unread: number }[]
  slots: ReturnType<ReturnType<typeof openSlots>["use"]>
  problems: { platform: string; problem: string; at: number }[]
}

/** So many conversations stay in memory; beyond it those that rest are put away. */
const mostAwake = 2000
/** How many messages are fetched of a room after a cut, and of how many rooms. */
const mostMissed = 100
const mostPages = 10
const mostRooms = 5000
const checkedMessages = 50

/** Opens the supervisor with what was stored of the platforms it has channels for. */
export async function openSupervisor(needs: SupervisorNeeds): Promise<Supervisor> {
  const { clock, random, log, store } = needs
  let { chat } = needs
  let isMuted = needs.isMuted ?? false
  const policyNow = () => (isMuted ? mutedPolicy(openPolicy(chat)) : openPolicy(chat))
  let policy = policyNow()
  let settingsOf = new Map<string, ConversationSettings>()
  const channels = new Map(needs.channels.map((channel) => [channel.platform, channel]))
  const awake = new Map<string, Conversation>()
  const problems = new Map<string, { platform: string; problem: string; at: number }>()
  const background = new Set<Promise<void>>()
  const catchingUp = new Map<string, number>()
  let isStopped = false

  const writer = openWriter({ store, clock, log })
  const slots = openSlots(slotSizes(chat))
  const sessions = openSessionPool(chat.ambient.pool.max_sessions)
  const deadlines = openDeadlines({ clock }, (key) => awake.get(key)?.post({ kind: "deadline" }))
  const limits = () => ({ callsPerDay: chat.policy.calls_per_day, usdPerDay: chat.policy.usd_per_day })
  const budget = await openChatBudget({ store, limits }, clock.now())
  const outbound = openOutbound()
  const runs = openRuns({
    ...{ think: needs.think, slots, budget, clock, instructions: needs.instructions },
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
        ...{ now: () => clock.now(), chance: () => random.next() },
      },
      { room, key, stored: stored ? Promise.resolve(stored) : store.load(key) },
    )
    awake.set(key, conversation)
    // What is said live from here on comes after what this room may have missed.
    if ((catchingUp.get(room.platform) ?? 0) > 0) conversation.post({ kind: "gap" })
    putToRest()
    return conversation
  }
  /** Those that were used longest ago go first, and only if nothing is going on in them. */
  const putToRest = () => {
    for (const [key, one] of awake) {
      if (awake.size <= mostAwake) return
      awake.delete(key)
      const { run, waiting, buffer, active, aside } = one.state()
      const rests =
        run === null && active === null && [waiting, buffer, aside].every((list) => list.length === 0)
      if (!one.isIdle() || !rests) {
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
      case "react":
        return outbound.send(conversation, channel, effect)
      case "typing":
        return outbound.typing(conversation, channel, effect.on)
      case "deadline":
        return deadlines.set(conversation.key, effect.at)
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
    const isKnown = channel.capabilities.history
    const found = isKnown
      ? await channel.history(conversation.room, { limit: checkedMessages }).catch(() => null)
      : null
    conversation.post({ kind: "checked", run, found })
  }
  const inBackground = (work: Promise<void>) => {
    const done = work
      .catch((error) => log.warn("Something in a chat channel failed.", { reason: messageOf(error) }))
      .finally(() => background.delete(done))
    background.add(done)
  }
  /** Marks at once up to where everything is known, then fetches what each room missed. */
  const catchUp = async (channel: Channel) => {
    const { platform, capabilities } = channel
    if (!capabilities.history) return
    const own = [...awake.values()].filter(({ room }) => room.platform === platform)
    for (const conversation of own) conversation.post({ kind: "gap" })
    catchingUp.set(platform, (catchingUp.get(platform) ?? 0) + 1)
    try {
      for (const room of await store.rooms(platform, mostRooms)) {
        if (isStopped) return
        await catchUpIn(room, channel)
      }
    } finally {
      catchingUp.set(platform, (catchingUp.get(platform) ?? 1) - 1)
    }
  }
  const catchUpIn = async (room: RoomRef, channel: Channel) => {
    const conversation = conversationIn(room)
    await conversation.settled()
    const after = conversation.state().gapAfter
    if (after === null || !mayFetch(room)) return
    await fetchMissed(conversation, channel, after).catch((error) =>
      log.warn("What a room missed could not be fetched.", { reason: messageOf(error) }),
    )
  }
  const fetchMissed = async (conversation: Conversation, channel: Channel, from: string) => {
    const missed: ChatMessage[] = []
    let after = from
    for (let page = 0; page < mostPages; page += 1) {
      const fetched = await channel.history(conversation.room, { limit: mostMissed, after })
      missed.push(...fetched)
      after = fetched.at(-1)?.id ?? after
      if (fetched.length < mostMissed) break
    }
    conversation.post({ kind: "reconnected", missed })
  }
  const mayFetch = (room: RoomRef) => {
    const { answers, listens } = settingsFor(room).policy
    return answers.is || listens.is
  }
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
        problems.delete(channel.platform)
        if (event.mayHaveMissed) inBackground(catchUp(channel))
        return
      case "disconnected":
      case "problem": {
        const problem = event.kind === "problem" ? event.problem : event.reason
        problems.set(channel.platform, { platform: channel.platform, problem, at: event.at })
        log.warn("A chat channel has a problem.", { platform: channel.platform, problem })
      }
    }
  }
  const startChannel = async (channel: Channel) => {
    try {
      for (const state of await store.loadOpen(channel.platform)) {
        conversationIn(state.room, state).post({ kind: "restarted", reason: "The program was started anew." })
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
    command: (room, command, by) => post(room, { kind: "command", command, by }),
    think: (room, run, about) => post(room, { kind: "thought", run, about }),
    status() {
      const rooms = [...awake.values()].map((one) => {
        const state = one.state()
        return { room: one.room, phase: phaseOf(state), unread: state.buffer.length }
      })
      return { rooms, slots: slots.use(), problems: [...problems.values()] }
    },
    async settled() {
      await Promise.all([...awake.values()].map((one) => one.settled()))
      await writer.flush()
    },
    async stop() {
      isStopped = true
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
