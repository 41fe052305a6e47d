import { type Clock, sleep } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { addressOf } from "../attention/address.ts"
import type { RoomRef } from "../channels/channel.ts"
import { unsettledIds } from "../conversation/amend.ts"
import type { ChatEntry, Effect } from "../conversation/effect.ts"
import type { ConversationEvent } from "../conversation/event.ts"
import { gapStart, overlap } from "../conversation/messages/seen.ts"
import type { Reduce } from "../conversation/reduce.ts"
import type { ConversationSettings } from "../conversation/settings.ts"
import { type ConversationState, newConversation } from "../conversation/state.ts"
import type { Usage } from "./store.ts"
import type { Writer } from "./writer.ts"

/** Events in short, without the moment and the chance that every event has. */
export type Happening = ConversationEvent extends infer E
  ? E extends ConversationEvent
    ? Omit<E, "at" | "chance">
    : never
  : never

/** One conversation at work: its events one after the other, each stored before anything comes of it. */
export interface Conversation {
  readonly room: RoomRef
  readonly key: string
  state(): ConversationState
  post(happening: Happening): void
  /** Whether something said in this epoch may still leave. */
  mayStillSend(run: string, epoch: number): boolean
  count(what: Partial<Usage>): void
  /** Settles when what was counted is stored, with its state as it is. */
  save(): Promise<void>
  /** Nothing waits to be worked through. */
  isIdle(): boolean
  /** Settles when everything that was posted is worked through. */
  settled(): Promise<void>
  /** Takes no more events. */
  stop(): void
}

interface Needs {
  reduce: Reduce
  settings(room: RoomRef): ConversationSettings
  /** Time as it goes on. */
  clock: Clock
  /** The time that people read. */
  wallTime(): number
  chance(): number
  writer: Writer
  /** Whether what is not stored cannot be had again: such a room is stored without delay. */
  isFleeting(room: RoomRef): boolean
  /** Does what the conversation wants, in order; the state is stored. */
  perform(conversation: Conversation, effect: Effect): void
  /** It failed and begins again: whatever it had under way has to end. */
  onRestart(conversation: Conversation): void
}

/** How long a state that could not be read is waited for before it is read again, at first and at most. */
const firstRetryMs = 500
const longestRetryMs = 30_000

const nothing: Usage = { messages: 0, calls: 0, replies: 0, silences: 0, microUsd: 0 }

/** Starts a conversation from its stored state, which may still be on its way. */
export function startConversation(
  needs: Needs,
  { room, key, stored }: { room: RoomRef; key: string; stored(): Promise<ConversationState | null> },
): Conversation {
  let state = newConversation(room)
  let usage = { ...nothing }
  let queue: { happening: Happening; isAddressed: boolean }[] = []
  /** Messages to us that are not worked through yet: nothing may leave before them. */
  let addressedAhead = 0
  let working: Promise<void> | undefined
  let isStopped = false
  let isLoaded = false
  /** Whether the store knows enough messages of this room to look from there for what was missed. */
  let isKnown = false

  const isAddressed = (happening: Happening) =>
    happening.kind === "message" && addressOf(happening.message, needs.settings(room).names) !== null
  /** A state that cannot be read now is read later: beginning without it would answer again what was answered. */
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
      const stored = attempt(next.happening)
      if (next.isAddressed) addressedAhead -= 1
      if (stored) await stored
    }
    working = undefined
  }
  const begin = () => {
    working ??= Promise.resolve().then(work)
  }
  /** Works one event through; what it throws restarts the conversation. */
  const attempt = (next: Happening): Promise<void> | undefined => {
    try {
      return take(next)?.catch((error) => fail(error, next))
    } catch (error) {
      return fail(error, next)
    }
  }
  const take = (happening: Happening): Promise<void> | undefined => {
    const event = { ...happening, at: needs.clock.now(), chance: needs.chance() } as ConversationEvent
    const result = needs.reduce(state, event, needs.settings(room))
    state = result.state
    if (happening.kind === "message") usage.messages += 1
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
    if (isKnown && !needs.isFleeting(room)) return needs.writer.soon(saved(entries))
    // The writer tries again what it could not store.
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
  const fail = async (error: unknown, during: Happening): Promise<void> => {
    // Nothing of before may leave any more.
    state = { ...state, epoch: state.epoch + 1 }
    needs.onRestart(conversation)
    const messages = messagesIn(during)
    // What it was about to fetch is still to be fetched.
    if (during.kind === "gap") state = { ...state, gapAfter: gapStart(state) }
    const reason = `It failed and was started again: ${messageOf(error)}`
    await tell({ kind: "chat.restarted", reason, data: { during: during.kind, messages } })
    try {
      await take({ kind: "restarted", reason: "The conversation had failed." })
    } catch (second) {
      await beginAnew(second)
    }
  }
  /** Its state is of no use: it begins anew, and says what is lost with it. */
  const beginAnew = async (error: unknown) => {
    const messages = unsettledIds(state)
    const { isMuted, hasLeft, seen, gapAfter, epoch, runs } = state
    state = { ...newConversation(room), isMuted, hasLeft, seen, gapAfter, epoch: epoch + 1, runs }
    const reason = `It could not go on from its state and begins anew: ${messageOf(error)}`
    await tell({ kind: "chat.restarted", reason, data: { messages } })
  }
  const tell = (entry: ChatEntry) => needs.writer.now(saved([entry])).catch(() => undefined)

  const conversation: Conversation = {
    room,
    key,
    state: () => state,
    post(happening) {
      if (isStopped) return
      const next = { happening, isAddressed: isAddressed(happening) }
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

/** The messages that are lost with an event. */
function messagesIn(happening: Happening): string[] {
  if (happening.kind === "message") return [happening.message.id]
  return happening.kind === "reconnected" ? happening.missed.map(({ id }) => id) : []
}

/** Whether a state has to be stored before what follows from it. */
function isUrgent({ kind }: Effect): boolean {
  return kind === "journal" || kind === "start-run" || kind === "send" || kind === "react"
}
