import { PassThrough, type Readable, type Writable } from "node:stream"
import { sleep } from "../../base/clock.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { openTerminal } from "../../chat/channels/terminal.ts"
import type { ChatEntry } from "../../chat/conversation/effect.ts"
import type { Config } from "../../config/schema.ts"
import { type ListeningNeeds, openListening } from "./listening.ts"

export interface TerminalRoomOptions {
  input: Readable & { isTTY?: boolean }
  output: Writable
  /** Who speaks where a line names nobody. */
  speaker: string
  /** How long after an overheard message it is looked at, in seconds. */
  interval: number
  /** Hears what is decided, and what a model would be shown. */
  onEntry(entry: ChatEntry, room: RoomRef): void
  onShown(text: string): void
}

/** A room on the user's own screen. */
export interface TerminalRoom {
  /** Why no model can be asked; undefined if one can. */
  noModel: string | undefined
  /** Settles when the input has ended and what was said is dealt with. */
  ended: Promise<void>
  close(): Promise<void>
}

/** Opens a room on one's own screen, over the same engine, model and memory as every other channel. */
export async function openTerminalRoom(
  given: ListeningNeeds,
  { input, output, speaker, interval, onEntry, onShown }: TerminalRoomOptions,
): Promise<TerminalRoom> {
  const { clock } = given
  const chat = inTerminal(given.config.chat, interval)
  const needs = { ...given, config: { ...given.config, chat } }
  const { chosen, why } = await needs.models.choose("chat")
  const typed = new PassThrough()
  input.pipe(typed, { end: false })
  const channel = openTerminal(needs, { name: chat.name, speaker, input: typed, output })
  const room = await openListening({ ...needs, onShown, isMute: !chosen }, [channel], { onEntry })
  const stopping = new AbortController()
  const isBusy = async () => {
    await room.settled()
    return room.supervisor.status().rooms.some(({ phase }) => busy.has(phase))
  }
  /** Who pipes something in wants to see what comes of it; who types Ctrl-D wants out. */
  const finish = async () => {
    while (input.isTTY !== true && !stopping.signal.aborted && (await isBusy()))
      await sleep(clock, 100, stopping.signal)
    typed.end()
  }
  input.once("end", () => void finish())
  input.once("close", () => void finish())
  await room.supervisor.start()
  return {
    noModel: chosen ? undefined : why,
    ended: channel.ended,
    async close() {
      stopping.abort()
      input.unpipe(typed)
      await room.stop()
    },
  }
}

const busy: ReadonlySet<string> = new Set(["buffering", "considering", "replying"])

/** The settings as they are, but that the room on the screen is listened to and learned from. */
function inTerminal(chat: Config["chat"], interval: number): Config["chat"] {
  const { ambient, policy } = chat
  return {
    ...chat,
    ambient: {
      ...ambient,
      enabled: true,
      flush_interval_seconds: interval,
      cooldown_seconds: Math.min(ambient.cooldown_seconds, interval),
    },
    policy: {
      ...policy,
      allowed_channels: [],
      ambient_channels: [...policy.ambient_channels, "terminal/room"],
      remember_channels: [...policy.remember_channels, "terminal/room"],
    },
  }
}
