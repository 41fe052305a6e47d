import type { Clock } from "../../../src/base/clock.ts"
import type {
  Channel,
  ChannelEvent,
  ChatMessage,
  OutgoingMessage,
  RoomRef,
  SendResult,
} from "../../../src/chat/channels/channel.ts"
import { roomKey } from "../../../src/chat/conversation/state.ts"
import type { Draw } from "../../draw.ts"

/** Something of ours that people can read. */
interface Post {
  room: string
  key: string
  text: string
  part: number
  /** How many things had happened before. */
  seq: number
}

/** How much of what was said a platform still knows: all of it, the last few messages of a room, or nothing. */
export type Remembers = "all" | "little" | "nothing"

/** A made-up platform: it keeps what is said for ever, whether the program lives or not. */
export interface Platform {
  posts: Post[]
  /** A connection for one life of the program. */
  connect(clock: Clock, life: { isDead(): boolean }): Channel
  say(message: ChatMessage): void
  edit(message: ChatMessage, text: string): void
  remove(message: ChatMessage): void
  /** Somebody puts an emoji under a message. */
  react(room: RoomRef, id: string): void
  cut(): void
  mend(): void
  /** What was said in a room and not deleted. */
  said(room: RoomRef): ChatMessage[]
  /** In which rooms a sign that we write is shown, once for each sign. */
  typing(): string[]
  /** Sends at once and without faults from here on. */
  calm(): void
}

export interface PlatformOptions {
  name: string
  remembers: Remembers
  draw: Draw
  seq(): number
  now(): number
  onDelivered(message: ChatMessage): void
  /** Posts whatever the gate says: a planted fault. */
  ignoresGate: boolean
}

const manners = [
  "quick",
  "quick",
  "slow",
  "slow",
  "parts",
  "refuses",
  "limits",
  "sent unknown",
  "lost unknown",
  "hangs",
  "throws",
] as const

/** So many messages of a room are known where little is remembered. */
const little = 4

export function createPlatform(options: PlatformOptions): Platform {
  const { name, remembers, draw, seq, now, onDelivered, ignoresGate } = options
  const logs = new Map<string, { message: ChatMessage; isGone: boolean }[]>()
  const posts: Post[] = []
  const typing = new Set<{ room: string }>()
  /** On their way, and overtaken by what is said next. */
  let slow: ChatMessage[] = []
  let listener: ((event: ChannelEvent) => void) | undefined
  let isCut = false
  let isCalm = false
  let made = 0
  const logOf = (room: RoomRef) => {
    const log = logs.get(roomKey(room)) ?? []
    logs.set(roomKey(room), log)
    return log
  }
  const tell = (event: ChannelEvent) => {
    if (!isCut) listener?.(event)
  }
  const deliver = (message: ChatMessage) => {
    if (isCut) return
    onDelivered(message)
    tell({ kind: "message", message })
    if (!isCalm && draw.number(1, 8) === 1) tell({ kind: "message", message })
  }
  const deliverSlow = () => {
    const late = slow
    slow = []
    for (const message of late) deliver(message)
  }
  const put = (room: RoomRef, { key }: OutgoingMessage, text: string, part: number): string => {
    made += 1
    const id = `p${made}`
    posts.push({ room: roomKey(room), key, text, part, seq: seq() })
    const author = { id: "us", name: "Reverie", isBot: true }
    const flags = { replyTo: null, mentionsUs: false, isPrivate: false, isVoice: false, isOurs: true }
    const message: ChatMessage = { id, room, author, text, at: now(), ...flags }
    logOf(room).push({ message, isGone: false })
    tell({ kind: "message", message })
    return id
  }

  const connect: Platform["connect"] = (clock, life) => {
    typing.clear()
    slow = []
    const wait = (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        clock.after(ms, resolve)
        signal?.addEventListener("abort", () => resolve(), { once: true })
      })
    /** The gate is asked right before it leaves; a program that is dead sends nothing. */
    const leaves = (outgoing: OutgoingMessage) => !life.isDead() && (ignoresGate || outgoing.mayStillSend())
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one list of manners reads best in one place
    const send: Channel["send"] = async (room, outgoing, signal) => {
      const manner = isCalm ? "quick" : draw.pick(manners)
      const keptBack: SendResult = { outcome: "refused", reason: "kept back" }
      if (manner === "throws") throw new Error("socket hang up")
      if (manner === "refuses") return { outcome: "refused", reason: "no permission" }
      if (manner === "limits")
        return { outcome: "refused", reason: "slow down", retryAfterMs: draw.number(1, 5000) }
      if (manner === "hangs") {
        await new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => resolve(), { once: true }),
        )
        return { outcome: "unknown", reason: "given up" }
      }
      if (manner !== "quick") await wait(draw.number(10, 8000), ignoresGate ? undefined : signal)
      if (manner === "lost unknown") return { outcome: "unknown", reason: "cut" }
      if (!leaves(outgoing)) return keptBack
      if (manner !== "parts") {
        const id = put(room, outgoing, outgoing.text, 0)
        return manner === "sent unknown"
          ? { outcome: "unknown", reason: "cut" }
          : { outcome: "sent", ids: [id] }
      }
      const ids = [put(room, outgoing, outgoing.text.slice(0, 4), 0)]
      await wait(draw.number(10, 3000), signal)
      if (leaves(outgoing)) ids.push(put(room, outgoing, outgoing.text.slice(4), 1))
      return { outcome: "sent", ids }
    }
    const find = (room: RoomRef, limit: number, after: string | undefined) => {
      const whole = logOf(room)
      const log = { all: whole, little: whole.slice(-little), nothing: [] }[remembers]
      const from = after === undefined ? 0 : log.findIndex(({ message }) => message.id === after) + 1
      const known = log.slice(from).filter(({ isGone }) => !isGone)
      return (after === undefined ? known.slice(-limit) : known.slice(0, limit)).map(({ message }) => message)
    }
    return {
      platform: name,
      capabilities: {
        ...{ reactions: true, typing: true, replies: true },
        history: remembers !== "nothing",
        ...{
          longestText: 2000,
          lengthUnit: "characters" as const,
          files: false,
          largestFile: 0,
          direct: false,
        },
      },
      async start(onEvent) {
        listener = (event) => (life.isDead() ? undefined : onEvent(event))
        tell({ kind: "connected", communities: [], mayHaveMissed: true, at: now() })
      },
      async history(room, { limit, after }) {
        const manner = isCalm ? 8 : draw.number(1, 8)
        if (manner === 1) throw new Error("Error: 502 bad gateway")
        // What was read may be old when it arrives.
        const found = manner === 2 ? find(room, limit, after) : undefined
        if (manner <= 3) await wait(draw.number(1, 6000))
        return found ?? find(room, limit, after)
      },
      send,
      async react() {
        return { outcome: "sent", ids: [] }
      },
      typing(room, signal) {
        if (life.isDead()) return
        const sign = { room: roomKey(room) }
        typing.add(sign)
        signal.addEventListener("abort", () => typing.delete(sign), { once: true })
      },
      async stop() {},
    }
  }
  return {
    posts,
    connect,
    say(message) {
      logOf(message.room).push({ message, isGone: false })
      if (!isCalm && draw.number(1, 8) === 1) {
        slow.push(message)
        return
      }
      deliver(message)
      deliverSlow()
    },
    edit(message, text) {
      deliverSlow()
      for (const entry of logOf(message.room)) {
        if (entry.message.id === message.id) entry.message = { ...entry.message, text }
      }
      tell({ kind: "edited", room: message.room, id: message.id, text, at: now() })
    },
    remove(message) {
      deliverSlow()
      for (const entry of logOf(message.room)) if (entry.message.id === message.id) entry.isGone = true
      tell({ kind: "deleted", room: message.room, ids: [message.id], at: now() })
    },
    react(room, id) {
      const author = { id: "ann", name: "ann", isBot: false }
      tell({ kind: "reaction", room, id, author, emoji: "👍", added: true, at: now() })
    },
    cut() {
      // What is on its way is lost with the connection.
      slow = []
      tell({ kind: "disconnected", reason: "cut", at: now() })
      isCut = true
    },
    mend() {
      isCut = false
      deliverSlow()
      tell({ kind: "connected", communities: [], mayHaveMissed: true, at: now() })
    },
    said: (room) =>
      logOf(room)
        .filter(({ isGone }) => !isGone)
        .map(({ message }) => message),
    typing: () => [...typing].map(({ room }) => room),
    calm() {
      isCalm = true
    },
  }
}
