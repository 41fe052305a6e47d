import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import type { Clock } from "../../base/clock.ts"
import { newTimedId, type Random } from "../../base/random.ts"
import { escapeControls } from "../../base/text/text.ts"
import type {
  Capabilities,
  Channel,
  ChannelEvent,
  ChatMessage,
  OutgoingMessage,
  RoomRef,
  SendResult,
} from "./channel.ts"
import { cleanName, cleanText } from "./text/clean.ts"
import { withFilesAsText } from "./text/files-as-text.ts"
import { mentions } from "./text/mentions.ts"
import { splitText } from "./text/split-text.ts"

export interface TerminalSettings {
  name: string
  /** The author of lines without a name, until a line has one. */
  speaker: string
  input: Readable
  output: Writable
}

const terminalCapabilities: Capabilities = {
  reactions: false,
  typing: true,
  history: false,
  replies: true,
  longestText: 4000,
  lengthUnit: "characters",
  files: false,
  largestFile: 0,
  direct: false,
}

const terminalRoom: RoomRef = {
  platform: "terminal",
  community: "terminal",
  channel: "room",
  thread: null,
}

const line =
  /^(?<isPrivate>\/private\s+)?(?:(?<name>[\p{L}\p{N}_.-]{1,40}):\s+)?(?:>(?<reply>\d{1,9})\s+)?(?<text>.*)$/su

/**
 * A room in the user's terminal, who plays several people: `ann: hello` is from ann, `ann: >3 thanks` replies to message 3,
 * `/private ann: hello` is a private message, and a line without a name is from the last author.
 */
export function openTerminal(
  { clock, random }: { clock: Clock; random: Random },
  settings: TerminalSettings,
): Channel & { /** Settles when the input has ended. */ ended: Promise<void> } {
  const { input, output, name } = settings
  const ended = Promise.withResolvers<void>()
  const numbers = new Map<number, { id: string; isOurs: boolean }>()
  let speaker = settings.speaker
  let count = 0
  let tell: (event: ChannelEvent) => void = () => undefined
  let lines: ReturnType<typeof createInterface> | undefined
  let isOpen = false

  const add = (fields: Omit<ChatMessage, "id" | "at" | "isVoice">): { id: string; number: number } => {
    count += 1
    const id = newTimedId(random, clock.now(), "line")
    numbers.set(count, { id, isOurs: fields.isOurs })
    tell({ kind: "message", message: { ...fields, id, at: clock.now(), isVoice: false } })
    return { id, number: count }
  }

  const take = (typed: string) => {
    const parts = line.exec(cleanText(typed))?.groups
    const text = parts?.text?.trim() ?? ""
    if (parts === undefined || text === "") return
    if (parts.name !== undefined) speaker = cleanName(parts.name, parts.name)
    const replied = numbers.get(Number(parts.reply))
    const isPrivate = parts.isPrivate !== undefined
    add({
      room: isPrivate ? privateRoom(speaker) : terminalRoom,
      author: { id: speaker.toLowerCase(), name: speaker, isBot: false },
      text,
      replyTo: replied ?? null,
      mentionsUs: replied?.isOurs === true || mentions(text, [name]),
      isPrivate,
      isOurs: false,
    })
  }

  const write = (text: string) => void output.write(`${escapeControls(text)}\n`)

  const say = (room: RoomRef, text: string, replyTo: string | undefined): string => {
    const isPrivate = room.community !== terminalRoom.community
    const { id, number } = add({
      room,
      author: { id: name.toLowerCase(), name, isBot: true },
      text,
      replyTo: replyTo === undefined ? null : { id: replyTo, isOurs: false },
      mentionsUs: false,
      isPrivate,
      isOurs: true,
    })
    const whom = isPrivate ? ` (to ${room.channel} alone)` : ""
    write(`[${number}] ${name}${whom}: ${text.replaceAll("\n", "\n    ")}`)
    return id
  }

  const send = (room: RoomRef, outgoing: OutgoingMessage, signal: AbortSignal): SendResult => {
    const { text, files, replyTo, mayStillSend } = outgoing
    const parts = splitText(cleanText(withFilesAsText(text, files)), {
      limit: terminalCapabilities.longestText,
      unit: terminalCapabilities.lengthUnit,
    })
    if (parts.length === 0) return { outcome: "refused", reason: "The message is empty." }
    const ids: string[] = []
    for (const part of parts) {
      const reason = whyNot(mayStillSend, signal)
      if (reason !== undefined)
        return ids.length === 0 ? { outcome: "refused", reason } : { outcome: "sent", ids, cut: reason }
      ids.push(say(room, part, ids.length === 0 ? replyTo : undefined))
    }
    return { outcome: "sent", ids }
  }
  const whyNot = (mayStillSend: () => boolean, signal: AbortSignal): string | undefined => {
    if (!isOpen) return "The room is closed."
    return signal.aborted || !mayStillSend() ? "It was cancelled." : undefined
  }

  const close = () => {
    if (!isOpen) return
    isOpen = false
    lines?.close()
    ended.resolve()
  }

  return {
    platform: "terminal",
    capabilities: terminalCapabilities,
    ended: ended.promise,
    async start(onEvent) {
      if (lines !== undefined) throw new Error("a channel is started once")
      tell = onEvent
      isOpen = true
      const communities = [{ id: terminalRoom.community, name: "this screen" }]
      onEvent({ kind: "connected", communities, mayHaveMissed: false, at: clock.now() })
      lines = createInterface({ input, terminal: false })
      lines.on("line", take)
      lines.once("close", () => {
        if (isOpen) onEvent({ kind: "disconnected", reason: "the input ended", at: clock.now() })
        close()
      })
    },
    history: async () => [],
    send: async (room, outgoing, signal) => send(room, outgoing, signal),
    react: async () => ({ outcome: "refused", reason: "This room has no reactions." }),
    typing(_room, signal) {
      if (isOpen && !signal.aborted) write(`(${name} is writing)`)
    },
    async stop() {
      tell = () => undefined
      close()
    },
  }
}

function privateRoom(name: string): RoomRef {
  return { platform: "terminal", community: `dm:terminal/${name.toLowerCase()}`, channel: name, thread: null }
}
