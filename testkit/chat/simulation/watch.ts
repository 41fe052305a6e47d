import type { ChatMessage } from "../../../src/chat/channels/channel.ts"
import { unavailableReply } from "../../../src/chat/conversation/ended.ts"
import type { ConversationEvent } from "../../../src/chat/conversation/event.ts"
import type { Reduce } from "../../../src/chat/conversation/reduce.ts"
import { type ConversationState, type RunKind, roomKey } from "../../../src/chat/conversation/state.ts"
import type { RoomPolicy } from "../../../src/chat/policy/room-policy.ts"
import type { ThinkInput } from "../../../src/chat/supervisor/think.ts"
import type { Kept } from "../memory-store.ts"
import type { Model } from "./model.ts"
import type { Platform } from "./platform.ts"
import { settledIds } from "./settled.ts"

/** What must never happen, by its name. */
export type Invariant =
  | "at most one post per epoch"
  | "no post after a newer mention"
  | "no sentinel or error outbound"
  | "caps never exceeded"
  | "no message lost without a journal entry"
  | "direct mentions answered first"
  | "every run ends"
  | "no mention answered twice"
  | "no typing sign outlives its run"
  | "speaks unasked only where it may"
  | "nothing of blocked people is shown"
  | "nothing of another room is shown"

export interface Violation {
  invariant: Invariant
  what: string
}

/** How many models may be asked at once, and in a day. */
export interface Caps {
  answers: number
  others: number
  calls: number
}

/** What is there when everything has come to rest. */
interface AtEnd {
  platform: Platform
  kept: Kept
  /** What must be accounted for. */
  said: ChatMessage[]
  /** How many calls each community made on each day. */
  calls: number[]
}

/** Watches a simulation, and tells what went wrong. */
export function createWatch(given: Caps) {
  const caps = { ...given }
  const violations: Violation[] = []
  const broken = (invariant: Invariant, what: string) => violations.push({ invariant, what })
  let seq = 0
  /** What each run that was started is about, by room and id. */
  const runs = new Map<string, { epoch: number; seq: number; kind: RunKind; messages: string[] }>()
  /** In which epoch each post was let out. */
  const posted = new Map<string, number>()
  /**
   * What addressed us, from the moment it was delivered. `isForUs` is known when it is worked through. Settings may switch
   * private messages off between the two: what is worked through under them is put aside, and outdates nothing.
   * The first time counts, so that a fetch under later settings does not excuse a post that came too late before.
   */
  const mentions = new Map<string, { room: string; seq: number; isForUs?: boolean }>()
  const judge = (event: ConversationEvent, { answersPrivately }: RoomPolicy) => {
    const messages = event.kind === "message" ? [event.message] : []
    for (const { id, isPrivate } of event.kind === "reconnected" ? event.missed : messages) {
      const mention = mentions.get(id)
      if (mention) mention.isForUs ??= !isPrivate || answersPrivately.allowed
    }
  }

  /** Sees every step of every conversation. */
  const watched =
    (reduce: Reduce): Reduce =>
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one list of checks reads best in one place
    (state, event, settings) => {
      const result = reduce(state, event, settings)
      judge(event, settings.policy)
      seq += 1
      const room = roomKey(state.room)
      for (const effect of result.effects) {
        if (effect.kind === "send") {
          noteOwn(result.state, effect, room)
          posted.set(`${room} ${effect.key}`, effect.epoch)
          checkUnasked(`${room} ${effect.run}`, settings.policy)
        }
        if (effect.kind !== "start-run") continue
        const { id, epoch, messages, kind } = effect.run
        runs.set(`${room} ${id}`, { epoch, seq, kind, messages: messages.map((one) => one.id) })
        const isLate = kind !== "direct" && messages.some((one) => mentions.has(one.id))
        if (isLate) broken("direct mentions answered first", `a mention went into a ${kind} run in ${room}`)
        const hasWaiting = state.waiting.some((one) => one.kind === "direct")
        if (kind !== "direct" && hasWaiting)
          broken("direct mentions answered first", `${kind} before a mention`)
      }
      checkKept(state, result.state, settings.flushHardCap)
      return result
    }

  /** Something of its own is no run of a model: it is known by its key. */
  function noteOwn({ run }: ConversationState, { key, epoch }: { key: string; epoch: number }, room: string) {
    if (run === null || run.id === key || runs.has(`${room} ${key}`)) return
    for (const name of [run.id, key])
      runs.set(`${room} ${name}`, { epoch, seq, kind: run.kind, messages: [] })
  }

  /** A cap that becomes lower is kept to by what comes, not at once by what is there. */
  function checkKept(before: ConversationState, after: ConversationState, cap: number): void {
    const sizes = ({ buffer, waiting, run }: ConversationState) => [
      buffer.length,
      waiting.length,
      run?.messages.length ?? 0,
    ]
    const old = sizes(before)
    const isOver = sizes(after).some((size, index) => size > cap && size > (old[index] ?? 0))
    if (isOver) broken("caps never exceeded", `${sizes(after)} messages are kept in ${roomKey(after.room)}`)
  }

  function checkUnasked(run: string, { speaksUnasked, startsTopics: begins }: RoomPolicy): void {
    const kind = runs.get(run)?.kind
    const may = kind === "batch" ? speaksUnasked.allowed : kind?.endsWith("thought") ? begins.allowed : true
    if (!may) broken("speaks unasked only where it may", `${kind} ${run}`)
  }

  return {
    violations,
    watched,
    /** Other limits hold from now on; what is under way may still be as many as before. */
    allow(next: Caps) {
      for (const name of ["answers", "others", "calls"] as const)
        caps[name] = Math.max(caps[name], next[name])
    },
    seq: () => ++seq,
    delivered(message: ChatMessage, isMention: boolean) {
      seq += 1
      if (isMention) mentions.set(message.id, { room: roomKey(message.room), seq })
    },
    asked(model: Model, { room, messages, background, history, earlier }: ThinkInput) {
      const own = `-${room.channel}-${room.thread ?? ""}`
      for (const { id, author, isOurs } of [...messages, ...background, ...history, ...earlier]) {
        if (author.id === "mallory") broken("nothing of blocked people is shown", id)
        if (!isOurs && !id.endsWith(own)) broken("nothing of another room is shown", `${id} in ${own}`)
      }
      for (const lane of ["answers", "others"] as const) {
        if (model.asked[lane] > caps[lane])
          broken("caps never exceeded", `${model.asked[lane]} ${lane} at once`)
      }
    },
    /** Everything has come to rest: what was posted, and whether all is accounted for. */
    atEnd({ platform, kept, said, calls }: AtEnd) {
      checkPosts(platform)
      checkJournal(kept, said)
      for (const count of calls)
        if (count > caps.calls) broken("caps never exceeded", `${count} calls in a day`)
      for (const room of platform.typing()) broken("no typing sign outlives its run", room)
    },
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one list of checks reads best in one place
  function checkPosts({ posts }: Platform): void {
    const byEpoch = new Map<string, number>()
    const answered = new Map<string, number>()
    for (const { room, key, text, part, seq: at } of posts) {
      const run = runs.get(`${room} ${key}`)
      if (run === undefined) {
        broken("at most one post per epoch", `a post of no run: ${key}`)
        continue
      }
      if (/NO_REPLY|\[SKIP|Error:|error:|⚠/.test(text)) broken("no sentinel or error outbound", text)
      const newer = [...mentions].find(
        ([id, one]) =>
          one.room === room &&
          one.isForUs !== false &&
          one.seq > run.seq &&
          one.seq < at &&
          !run.messages.includes(id),
      )?.[1]
      if (newer)
        broken("no post after a newer mention", `${key} in ${room} at ${at}, the mention at ${newer.seq}`)
      if (part > 0) continue
      const epoch = `${room} ${posted.get(`${room} ${key}`)}`
      byEpoch.set(epoch, (byEpoch.get(epoch) ?? 0) + 1)
      if (text.startsWith(unavailableReply.slice(0, 4))) continue
      for (const id of run.messages) if (mentions.has(id)) answered.set(id, (answered.get(id) ?? 0) + 1)
    }
    for (const [epoch, count] of byEpoch)
      if (count > 1) broken("at most one post per epoch", `${count} in ${epoch}`)
    for (const [id, count] of answered)
      if (count > 1) broken("no mention answered twice", `${id}: ${count} times`)
  }

  function checkJournal({ journal, states }: Kept, said: readonly ChatMessage[]): void {
    const settled = settledIds({ journal, states })
    for (const { run, room } of states)
      if (run) broken("every run ends", `${run.kind} ${run.phase} in ${roomKey(room)}`)
    for (const message of said) {
      const id = `${roomKey(message.room)} ${message.id}`
      if (!message.isOurs && !settled.has(id)) broken("no message lost without a journal entry", id)
    }
  }
}
