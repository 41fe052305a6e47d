import { silentLog } from "../../../src/base/log.ts"
import type { Channel, ChannelEvent, ChatMessage } from "../../../src/chat/channels/channel.ts"
import type { Line } from "../../../src/chat/conversation/state.ts"
import { readDecision } from "../../../src/chat/silence/decision.ts"
import { openSupervisor } from "../../../src/chat/supervisor/supervisor.ts"
import type { Think } from "../../../src/chat/supervisor/think.ts"
import { type Config, configSchema } from "../../../src/config/schema.ts"
import { createSeededRandom } from "../../seeded-random.ts"
import { createMemoryStore } from "../memory-store.ts"
import { createSimulationClock } from "../simulation/clock.ts"
import { generateWeek } from "./generate.ts"
import { weekRooms } from "./rooms.ts"

/** What a week came to in one room. */
export interface WeekRow {
  room: string
  messages: number
  calls: number
  posts: number
  silences: number
  inputTokens: number
  outputTokens: number
}

/** What the prompt has besides the messages, and each message besides its words, in tokens; an estimate. */
const promptTokens = 700
const lineTokens = 10
const silenceTokens = 25
const answer =
  "Here is what I know of it: the last change was on Tuesday, and the notes say how to go on from there."

/** Plays the week through the real engine; only the model is a script, which answers questions and is silent else. */
export async function playWeek(seed: number, chat: Config["chat"]): Promise<WeekRow[]> {
  const clock = createSimulationClock()
  const rows = new Map(weekRooms.map(({ name }) => [name, emptyRow(name)]))
  const rowOf = (room: string) => rows.get(room) ?? emptyRow(room)
  const said = new Map<string, ChatMessage[]>()
  let tell = (_: ChannelEvent) => {}
  const live = clock.live()
  const think: Think = async ({ kind, room, messages, background, history, earlier, omitted }) => {
    const row = rowOf(room.channel)
    const lines = [...earlier, ...history, ...background, ...messages]
    row.calls += 1
    row.inputTokens += promptTokens + sum(lines.map(tokensOf)) + (omitted > 0 ? lineTokens : 0)
    await new Promise<void>((resolve) => live.after(2000, resolve))
    const isWanted = kind !== "batch" || messages.some((one) => isOpenQuestion(one, messages))
    row.outputTokens += isWanted ? silenceTokens + answer.length / 4 : silenceTokens
    if (isWanted) return { outcome: "decided", decision: readDecision(answer) }
    row.silences += 1
    return { outcome: "decided", decision: { action: "silent", reason: "Nobody needs it." } }
  }
  const channel: Channel = {
    platform: "week",
    capabilities: {
      ...{ reactions: true, typing: true, history: true },
      ...{
        replies: true,
        longestText: 2000,
        lengthUnit: "characters",
        files: false,
        largestFile: 0,
        direct: false,
      },
    },
    async start(onEvent) {
      tell = onEvent
    },
    history: async ({ channel: name, thread }, { limit }) =>
      (said.get(`${name} ${thread}`) ?? []).slice(-limit),
    async send({ channel: name }, { mayStillSend }) {
      if (!mayStillSend()) return { outcome: "refused", reason: "It was kept back." }
      rowOf(name).posts += 1
      return { outcome: "sent", ids: [`own-${name}-${rowOf(name).posts}`] }
    },
    react: async () => ({ outcome: "sent", ids: [] }),
    typing() {},
    async stop() {},
  }
  const supervisor = await openSupervisor({
    ...{
      clock: live,
      random: createSeededRandom(seed),
      log: silentLog,
      chat,
      think,
      instructions: () => null,
    },
    ...{ store: createMemoryStore(), channels: [channel] },
  })
  await supervisor.start()
  const start = clock.now()
  for (const message of generateWeek(seed, start)) {
    await clock.advance(Math.max(0, message.at - clock.now()))
    rowOf(message.room.channel).messages += 1
    const key = `${message.room.channel} ${message.room.thread}`
    said.set(key, [...(said.get(key) ?? []), message].slice(-50))
    tell({ kind: "message", message })
  }
  await clock.advance(3_600_000)
  await supervisor.stop()
  return [...rows.values()]
}

/** A question that nobody has said anything after, in the batch it stands in. */
function isOpenQuestion(line: Line, batch: readonly Line[]): boolean {
  return line.text.endsWith("?") && batch.at(-1)?.id === line.id
}

function emptyRow(room: string): WeekRow {
  return { room, messages: 0, calls: 0, posts: 0, silences: 0, inputTokens: 0, outputTokens: 0 }
}

function tokensOf({ text, author }: Line): number {
  return lineTokens + (text.length + author.name.length) / 4
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The settings of the replay: the defaults, and the same with listening switched on in all rooms. */
export function weekSettings(isListening: boolean): Config["chat"] {
  const on = { ambient: { enabled: true }, policy: { ambient_channels: ["*"] } }
  return configSchema.parse({ chat: isListening ? on : {} }).chat
}
