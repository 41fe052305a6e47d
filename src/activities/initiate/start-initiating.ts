import { reasonNotToThink } from "../../attention/call-budget.ts"
import type { Clock } from "../../base/clock.ts"
import { startLoop } from "../../base/loop.ts"
import { createSafeFetch } from "../../base/net/safe-fetch/safe-fetch.ts"
import { newId } from "../../base/random.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { communityKey, roomKey } from "../../chat/conversation/state.ts"
import { linksIn } from "../../chat/discovery/items/canonical-url.ts"
import { createReader } from "../../chat/discovery/reading/reader.ts"
import { readSources } from "../../chat/discovery/round.ts"
import { recordLinks } from "../../chat/discovery/store.ts"
import { browsePage, findChromium } from "../../chat/discovery/web/browser/browse.ts"
import { createRobots } from "../../chat/discovery/web/robots.ts"
import { findSearchKey } from "../../chat/discovery/web/search.ts"
import { performance } from "../../chat/feedback/performance.ts"
import { recordPost } from "../../chat/feedback/store.ts"
import { openInitiativeStore } from "../../chat/initiative/store.ts"
import type { Thought } from "../../chat/initiative/thought.ts"
import { openPolicy } from "../../chat/policy/room-policy.ts"
import { type ChatStore, knownRooms } from "../../chat/supervisor/store.ts"
import type { Supervisor } from "../../chat/supervisor/supervisor.ts"
import type { Environment } from "../../config/environment.ts"
import type { Config } from "../../config/schema.ts"
import type { Models } from "../../llm/choice/models.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { ChatMedia } from "../listen/chat-media.ts"
import { busyRooms } from "./busy-rooms.ts"
import { type ConsiderNeeds, considerCommunity } from "./consider-community.ts"
import type { WebNeeds } from "./consider-tools.ts"
import { type Initiating, type InitiativeHost, openInitiating } from "./initiating.ts"

export interface InitiateNeeds extends MemoryCore {
  install: string
  env: Environment
  models: Models
  /** The models for thoughts, if they differ from those of chat. */
  thoughtModels?: Models | undefined
  /** Replaces how the web is reached, in tests. */
  web?: Partial<WebNeeds> | undefined
}

/** The parts of chat that answers and posts of its own share. */
export interface ChatParts {
  supervisor: Supervisor
  store: ChatStore
  instructions: () => string | null
  media: ChatMedia
}

export type Initiation = Omit<Initiating, "open" | "tick">

const minuteMs = 60_000
const roundEveryMs = 5 * minuteMs

/** Whether the configuration allows posts of its own; otherwise nothing of the initiative runs. */
export function mayInitiate({ chat }: Config): boolean {
  return chat.initiative.text.enabled && chat.policy.discovery_channels.length > 0
}

/** The rooms in which it may start topics: channels, not threads or private rooms. */
export async function topicRooms(on: Reader, chat: Config["chat"]): Promise<RoomRef[]> {
  const policy = openPolicy(chat)
  const rooms = await knownRooms(on)
  return rooms.filter(
    (room) => room.thread === null && !room.community.startsWith("dm:") && policy(room).startsTopics.allowed,
  )
}

/** Starts considering every community regularly, and reading sources while any community could use them. */
export async function startInitiating(
  needs: InitiateNeeds,
  { supervisor, store, instructions, media }: ChatParts,
): Promise<Initiation> {
  const { db, clock, random, log, config } = needs
  const { chat } = config
  const models = needs.thoughtModels ?? needs.models
  const tickMs = chat.initiative.text.tick_seconds * 1000
  const web = webOf(needs)
  const host: InitiativeHost = {
    rooms: async () => (supervisor.isMutedEverywhere() ? [] : topicRooms(db, chat)),
    load: (room) => store.load(roomKey(room)),
    busy: () => busyRooms(supervisor),
    say: supervisor.say,
    takeCall: supervisor.takeCall,
    spend: supervisor.spend,
  }
  const policy = openPolicy(chat)
  const considerNeeds: ConsiderNeeds = {
    ...needs,
    models,
    web,
    policy,
    instructions,
    mediaLeft: media.left,
    performance: (community) => performance(needs, community),
  }
  const initiating = openInitiating({
    ...{ clock, random, log, chat, host, store: openInitiativeStore(needs) },
    budgetProblem: () => reasonNotToThink({ ...needs, models }),
    consider: (rooms, options) => considerCommunity(considerNeeds, rooms, options),
    async prepare({ media: plan, room }, signal) {
      const { postsMedia } = policy(room)
      if (plan === null) return {}
      const made = postsMedia.allowed ? await media.make(room, plan, "post", signal) : postsMedia
      if ("reason" in made) log.warn("Media for a thought could not be made.", { reason: made.reason })
      return "usd" in made ? made : {}
    },
    onPosted: (thought, posts) => recordThoughtPost(needs, thought, posts),
  })
  await initiating.open()
  const underWay = new Set<Promise<unknown>>()
  const tracked = async <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }
  const looking = startLoop(needs, {
    firstMs: tickMs,
    ...{ problem: "Considering posts for chat channels failed.", retryMs: minuteMs },
    async work() {
      await tracked(initiating.tick())
      return tickMs
    },
  })
  const readSome = async (signal: AbortSignal) => {
    if ((await host.rooms()).length === 0) return minuteMs
    await readSources({ ...needs, ...web }, chat.initiative.discovery, signal)
    return roundEveryMs
  }
  const reading = startLoop(needs, {
    ...{ problem: "Reading sources for chat failed.", retryMs: roundEveryMs },
    work: (signal) => tracked(readSome(signal)),
  })
  return {
    ...initiating,
    async settled() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
      await initiating.settled()
    },
    async stop() {
      await looking.stop()
      await reading.stop()
      await initiating.stop()
    },
  }
}

/** How tools and sources reach the web: public addresses only, and queries without secrets. */
function webOf({ clock, env, screen, web }: InitiateNeeds): WebNeeds {
  const fetch = web?.fetch ?? createSafeFetch({ clock })
  const reader = web?.reader ?? createReader({ clock })
  const robots = web?.robots ?? createRobots({ clock, fetch })
  return {
    fetch,
    reader,
    robots,
    keyFor: web?.keyFor ?? ((provider) => findSearchKey(env, provider)),
    browse: web && "browse" in web ? web.browse : browserOf({ clock, reader, robots }),
    redact: web?.redact ?? (async (text) => screen.redactSync(text)),
    ...(web?.endpoints ? { endpoints: web.endpoints } : {}),
  }
}

/** Reads pages with Chromium, if it is installed. */
function browserOf(needs: Pick<WebNeeds, "reader" | "robots"> & { clock: Clock }): WebNeeds["browse"] {
  const chromium = findChromium()
  if (chromium === undefined) return undefined
  return (url, options) => browsePage({ ...needs, chromium }, url, options)
}

/** Records a post: its links are not posted again, and responses to it count. */
async function recordThoughtPost(
  needs: InitiateNeeds,
  { id, room, text, media, sources }: Thought,
  messageIds: readonly string[],
): Promise<void> {
  const community = communityKey(room)
  const at = needs.clock.now()
  const found = linksIn(text)
  const [source] = sources
  const links = found.map((link) => ({
    link,
    by: "us" as const,
    ...(source === undefined ? {} : { source }),
  }))
  await recordLinks(
    needs.db,
    { community, at, links },
    { operation: newId(needs.random, "op"), actor: "chat" },
  )
  const kind = media ? "media" : found.length > 0 ? "link" : "thought"
  await recordPost(needs, { community, room, messageIds, kind, sources, thoughtId: id, at })
}
