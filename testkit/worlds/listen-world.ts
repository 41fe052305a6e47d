import { onTestFinished } from "vitest"
import {
  type InitiateNeeds,
  type Initiation,
  startInitiating,
} from "../../src/activities/initiate/start-initiating.ts"
import { openListening } from "../../src/activities/listen/listening.ts"
import type {
  Channel,
  ChannelEvent,
  ChatMessage,
  OutgoingFile,
  RoomRef,
} from "../../src/chat/channels/channel.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { message } from "../chat/messages.ts"
import { until } from "../manual-clock.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import type { TestDatabase } from "../setup/databases.ts"
import { openExtractionWorld } from "./extraction-world.ts"
import { homeOf } from "./tend-world.ts"

type Settings = NonNullable<NonNullable<Parameters<typeof openExtractionWorld>[1]>["config"]>

/** A channel that a test speaks in, and that keeps what is said there. */
function createTestChannel(platform: string) {
  let tell: (event: ChannelEvent) => void = () => undefined
  const posts: {
    room: RoomRef
    text: string
    replyTo: string | undefined
    files: readonly OutgoingFile[]
  }[] = []
  const past: ChatMessage[] = []
  const channel: Channel = {
    platform,
    capabilities: {
      ...{ reactions: true, typing: true, history: true },
      ...{
        replies: true,
        longestText: 4000,
        lengthUnit: "characters",
        files: true,
        largestFile: 1_000_000,
        direct: false,
      },
    },
    async start(onEvent) {
      tell = onEvent
    },
    history: async (room, { limit }) => past.filter((one) => one.room.channel === room.channel).slice(-limit),
    async send(room, { text, replyTo, files = [], mayStillSend }) {
      if (!mayStillSend()) return { outcome: "refused", reason: "It was cancelled." }
      posts.push({ room, text, replyTo, files })
      return { outcome: "sent", ids: [`p${posts.length}`] }
    },
    react: async () => ({ outcome: "sent", ids: [] }),
    typing: () => undefined,
    stop: async () => undefined,
  }
  return { channel, posts, past, tell: (event: ChannelEvent) => tell(event) }
}

/** Chat over a real memory and a scripted model, in a channel of the test's own. Its clock stands still. */
export async function openListenWorld(
  store: TestDatabase,
  {
    server,
    config = {},
    initiates,
  }: {
    server: ModelServer
    config?: Settings
    /** Whether it also has thoughts of its own, and what they are given. */
    initiates?: Pick<InitiateNeeds, "web">
  },
) {
  const world = await openExtractionWorld(store, { server, config })
  const { models } = world.needs
  if (models === undefined) throw new Error("a world that listens needs a model server")
  const { channel, posts, past, tell } = createTestChannel("test")
  const needs = { ...world.needs, models, ...homeOf() }
  const own: { initiation?: Initiation } = {}
  const listening = await openListening(needs, [channel], {
    onOwnPost: (room, key, delivery) => own.initiation?.onOwnPost(room, key, delivery),
    onForgotten: (room) => own.initiation?.forget(room),
  })
  if (initiates) {
    own.initiation = await startInitiating({ ...needs, install: world.install, ...initiates }, listening)
    onTestFinished(own.initiation.stop)
  }
  await listening.supervisor.start()
  onTestFinished(listening.stop)
  const entries = (kind: string) => readJournal(world.db, { kind })
  return {
    ...world,
    listening,
    posts,
    past,
    tell,
    entries,
    /** Somebody says something; gives it as it was told. */
    say(text: string, given: Parameters<typeof message>[1] = {}): ChatMessage {
      const said = message(text, { at: world.clock.now(), ...given })
      tell({ kind: "message", message: said })
      return said
    },
    /** Waits until nothing is under way any more. */
    async rests() {
      await listening.settled()
      await own.initiation?.settled()
      const { supervisor } = listening
      await until(() =>
        supervisor.status().rooms.every(({ phase }) => phase !== "replying" && phase !== "considering"),
      )
      await listening.settled()
      await own.initiation?.settled()
    },
    own,
  }
}

/** A step in which the model decides. */
export function decides(action: string, more: object = {}) {
  return { calls: [{ name: "decide", input: { action, reason: "because", ...more } }] }
}
