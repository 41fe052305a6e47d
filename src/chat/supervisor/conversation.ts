import { type Clock, sleep } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { addressOf } from "../attention/address.ts"
import type { RoomRef } from "../channels/channel.ts"
import { pendingIds } from "../conversation/amend.ts"
import type { ChatEntry, Effect } from "../conversation/effect.ts"
import type { ConversationEvent } from "../conversation/event.ts"
import { gapStart, overlap } from "../conversation/messages/seen.ts"
import type { Reduce } from "../conversation/reduce.ts"
import type { ConversationSettings } from "../conversation/settings.ts"
import { type ConversationState, newConversation } from "../conversation/state.ts"
import type { Usage } from "./store.ts"
import type { Writer } from "./writer.ts"

/** An event without the time and the random number, which the conversation adds. */
export type EventInput = ConversationEvent extends infer E
  ? E extends ConversationEvent
    ? Omit<E, "at" | "chance">
    : never
  : never

/** A running conversation: it handles events in order, and stores its state before their effects. */
export interface Conversation {
  readonly room: RoomRef
  readonly key: string
  state(): ConversationState
  post(input: EventInput): void
  /** Whether a message of this run and epoch may still be sent. */
  mayStillSend(run: string, epoch: number): boolean
  count(what: Partial<Usage>): void
  /** Stores the state and the counts. */
  save(): Promise<void>
  /** Whether no event is queued or being handled. */
  isIdle(): boolean
  /** Settles when all posted events are handled. */
  settled(): Promise<void>
  /** Takes no more events. */
  stop(): void
}

interface ConversationNeeds {
  reduce: Reduce
  settings(room: RoomRef): ConversationSettings
  /** A clock that never goes back. */
  clock: Clock
  wallTime(): number
  chance(): number
  writer: Writer
  /** Whether missed messages of a room cannot be fetched: such a room is stored without delay. */
  lacksHistory(room: RoomRef): boolean
  /** Runs an effect, after the state is stored. */
  perform(conversation: Conversation, effect: Effect): void
  /** Aborts everything under way, because handling an event failed. */
  onRestart(conversation: Conversation): void
}

/** The first and the longest wait before reading a stored state is retried. */
const firstRetryMs = 500
const longestRetryMs = 30_000

const nothing: Usage = { messages: 0, calls: 0, replies: 0, silences: 0, microUsd: 0 }

/** Starts a conversation from its stored state, which is loaded with the first event. */
export function startConversation(
  needs: ConversationNeeds,
  { room, key, stored }: { room: RoomRef; key: string; stored(): Promise<ConversationState | null> },
): Conversation {
  let state = newConversation(room)
  let usage = { ...nothing }
  let queue: { input: EventInput; isAddressed: boolean }[] = []
  /** How many queued messages address us: nothing may be sent before they are handled. */
  let addressedAhead = 0
  let working: Promise<void> | undefined
  let isStopped = false
  let isLoaded = false
  /** Whether enough messages are stored to fetch missed ones from there. */
  let isKnown = false

  const isAddressed = (input: EventInput) =>
    input.kind === "message" && addressOf(input.message, needs.settings(room).names) !== null
  /** Retries until the state is read: starting without it would answer messages twice. */
  const load = async () => {
    for (let wait = firstRetryMs; !isLoaded && !isStopped; wait = Math.min(2 * wait, longestRetryMs)) {
      try {
        const found = await stored()
        isKnown = found !== null && found.seen.length >= overlap
        state = found ?? state
        isLoaded = true
      } catch {
        await sleep(needs.clock, wait)
      }
    }
  }
  const work = async () => {
    if (!isLoaded) await load()
    for (let next = queue.shift(); next && !isStopped; next = queue.shift()) {
      const stored = attempt(next.input)
      if (next.isAddressed) addressedAhead -= 1
      if (stored) await stored
    }
    working = undefined
  }
  const begin = () => {
    working ??= Promise.resolve().then(work)
  }
  /** Handles one event; an error restarts the conversation. */
  const attempt = (next: EventInput): Promise<void> | undefined => {
    try {
      return take(next)?.catch((error) => fail(error, next))
    } catch (error) {
      return fail(error, next)
    }
  }
  const take = (input: EventInput): Promise<void> | undefined => {
    const event = { ...input, at: needs.clock.now(), chance: needs.chance() } as ConversationEvent
    const result = needs.reduce(state, event, needs.settings(room))
    state = result.state
    if (input.kind === "message") usage.messages += 1
    const entries = result.effects.flatMap((effect) => (effect.kind === "journal" ? [effect.entry] : []))
    countEntries(entries)
    if (!result.effects.some(isUrgent)) {
      if (result.effects.some(({ kind }) => kind === "persist")) storeSoon(entries)
      performAll(result.effects)
      return undefined
    }
    return store(entries).then(() => performAll(result.effects))
  }
  const store = async (entries: readonly ChatEntry[]) => {
    await needs.writer.now(saved(entries))
    isKnown ||= state.seen.length >= overlap
  }
  const storeSoon = (entries: readonly ChatEntry[]) => {
    if (isKnown && !needs.lacksHistory(room)) return needs.writer.soon(saved(entries))
    // The writer retries.
    void store(entries).catch(() => undefined)
  }
  const performAll = (effects: readonly Effect[]) => {
    if (!isStopped) for (const effect of effects) needs.perform(conversation, effect)
  }
  const countEntries = (entries: readonly ChatEntry[]) => {
    for (const { kind } of entries) {
      if (kind === "chat.replied") usage.replies += 1
      if (kind === "chat.silenced") usage.silences += 1
    }
  }
  const saved = (entries: readonly ChatEntry[]) => {
    const save = { room, at: needs.wallTime(), state, entries, usage }
    usage = { ...nothing }
    return save
  }
  const fail = async (error: unknown, during: EventInput): Promise<void> => {
    // Earlier runs may send nothing more.
    state = { ...state, epoch: state.epoch + 1 }
    needs.onRestart(conversation)
    const messages = messagesIn(during)
    // The gap must still be fetched.
    if (during.kind === "gap") state = { ...state, gapAfter: gapStart(state) }
    const reason = `It failed and was started again: ${messageOf(error)}`
    await tell({ kind: "chat.restarted", reason, data: { during: during.kind, messages } })
    try {
      await take({ kind: "restarted", reason: "The conversation had failed." })
    } catch (second) {
      await beginAnew(second)
    }
  }
  /** Replaces a state that cannot be used, and journals which messages are lost with it. */
  const beginAnew = async (error: unknown) => {
    const messages = pendingIds(state)
    const { isMuted, hasLeft, seen, gapAfter, epoch, runs } = state
    state = { ...newConversation(room), isMuted, hasLeft, seen, gapAfter, epoch: epoch + 1, runs }
    const reason = `Its state could not be used, so it starts with a new one: ${messageOf(error)}`
    await tell({ kind: "chat.restarted", reason, data: { messages } })
  }
  const tell = (entry: ChatEntry) => needs.writer.now(saved([entry])).catch(() => undefined)

  const conversation: Conversation = {
    room,
    key,
    state: () => state,
    post(input) {
      if (isStopped) return
      const next = { input, isAddressed: isAddressed(input) }
      if (next.isAddressed) addressedAhead += 1
      queue.push(next)
      begin()
    },
    mayStillSend: (run, epoch) =>
      !isStopped && addressedAhead === 0 && state.epoch === epoch && state.run?.id === run,
    count(what) {
      for (const [name, by] of Object.entries(what)) usage[name as keyof Usage] += by
    },
    save: () => needs.writer.now(saved([])),
    isIdle: () => working === undefined && queue.length === 0,
    async settled() {
      if (!isLoaded) begin()
      while (working) await working
    },
    stop() {
      isStopped = true
      queue = []
    },
  }
  return conversation
}

function messagesIn(input: EventInput): string[] {
  if (input.kind === "message") return [input.message.id]
  return input.kind === "reconnected" ? input.missed.map(({ id }) => id) : []
}

/** Whether the state must be stored before this effect runs. */
function isUrgent({ kind }: Effect): boolean {
  return kind === "journal" || kind === "start-run" || kind === "send" || kind === "react"
}
