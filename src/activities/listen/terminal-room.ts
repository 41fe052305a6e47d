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
  /** The author of lines without a name. */
  speaker: string
  /** chat.ambient.flush_interval_seconds for this room. */
  interval: number
  /** Called with each decision, and with each prompt. */
  onEntry(entry: ChatEntry, room: RoomRef): void
  onPrompt(text: string): void
}

export interface TerminalRoom {
  /** Why there is no model; undefined if there is one. */
  noModel: string | undefined
  /** Settles when the input has ended and its messages are handled. */
  ended: Promise<void>
  close(): Promise<void>
}

/** Opens a room in the user's terminal, with the same supervisor, model and memory as every other channel. */
export async function openTerminalRoom(
  base: ListeningNeeds,
  { input, output, speaker, interval, onEntry, onPrompt: onShown }: TerminalRoomOptions,
): Promise<TerminalRoom> {
  const { clock } = base
  const chat = inTerminal(base.config.chat, interval)
  const needs = { ...base, config: { ...base.config, chat } }
  const { chosen, why } = await needs.models.choose("chat")
  const typed = new PassThrough()
  input.pipe(typed, { end: false })
  const channel = openTerminal(needs, { name: chat.name, speaker, input: typed, output })
  const room = await openListening({ ...needs, onPrompt: onShown, hasNoModel: !chosen }, [channel], {
    onEntry,
  })
  const stopping = new AbortController()
  const isBusy = async () => {
    await room.settled()
    return room.supervisor.status().rooms.some(({ phase }) => busy.has(phase))
  }
  /** Piped input is handled to the end; Ctrl-D closes the room at once. */
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

/** The configured settings, but with listening and remembering on in the terminal room. */
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
