import { thoughtHeldBack } from "../../attention/call-budget.ts"
import type { Clock } from "../../base/clock.ts"
import { startLoop } from "../../base/loop.ts"
import { createSafeFetch } from "../../base/net/safe-fetch/safe-fetch.ts"
import { newId } from "../../base/random.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { communityKey, roomKey } from "../../chat/conversation/state.ts"
import { linksIn } from "../../chat/discovery/items/canonical-url.ts"
import { createReader } from "../../chat/discovery/reading/reader.ts"
import { readSources } from "../../chat/discovery/round.ts"
import { noteLinks } from "../../chat/discovery/store.ts"
import { browsePage, findChromium } from "../../chat/discovery/web/browser/browse.ts"
import { createRobots } from "../../chat/discovery/web/robots.ts"
import { findSearchKey } from "../../chat/discovery/web/search-key.ts"
import { openInitiativeStore } from "../../chat/initiative/store.ts"
import type { Thought } from "../../chat/initiative/thought.ts"
import { openPolicy } from "../../chat/policy/room-policy.ts"
import { type ChatStore, knownRooms } from "../../chat/supervisor/store.ts"
import type { Supervisor } from "../../chat/supervisor/supervisor.ts"
import type { Environment } from "../../config/environment.ts"
import type { Paths } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"
import type { Models } from "../../llm/choice/models.ts"
import type { Reader } from "../../storage/transaction.ts"
import { busyRooms } from "./busy-rooms.ts"
import { type Initiating, type InitiativeWorld, openInitiating } from "./initiating.ts"
import { type LookNeeds, look } from "./look.ts"
import type { WebNeeds } from "./look-tools.ts"
import { type InitiativeParts, noParts } from "./parts.ts"

/** What thoughts of its own need from the rest of the program. */
export interface InitiateNeeds extends Omit<LookNeeds, "policy" | "parts" | "web" | "instructions"> {
  env: Environment
  paths: Paths
  install: string
  parts?: InitiativeParts | undefined
  /** The models that think, where they are others than those of chat. */
  thoughtModels?: Models | undefined
  /** What reading outside goes through; given only to try it out. */
  web?: Partial<WebNeeds> | undefined
}

/** Thoughts of its own, running. */
export type Initiation = Omit<Initiating, "open" | "tick">

const minuteMs = 60_000
const roundEveryMs = 5 * minuteMs

/** Whether thoughts of its own could ever be had; where not, nothing of it runs. */
export function mayInitiate({ chat }: Config): boolean {
  return chat.initiative.text.enabled && chat.policy.discovery_channels.length > 0
}

/** Rooms in which it may begin a subject: channels, no threads and no private talk. */
export async function beginningRooms(on: Reader, chat: Config["chat"]): Promise<RoomRef[]> {
  const policy = openPolicy(chat)
  const rooms = await knownRooms(on)
  return rooms.filter(
    (room) => room.thread === null && !room.community.startsWith("dm:") && policy(room).begins.is,
  )
}

/** Starts looking around every minute, and reading what is outside while any community could use it. */
export async function startInitiating(
  needs: InitiateNeeds,
  {
    supervisor,
    store,
    instructions,
  }: { supervisor: Supervisor; store: ChatStore; instructions: () => string | null },
): Promise<Initiation> {
  const { db, clock, random, log, config } = needs
  const { chat } = config
  const parts = needs.parts ?? noParts
  const models = needs.thoughtModels ?? needs.models
  const tickMs = chat.initiative.text.tick_seconds * 1000
  const web = webOf(needs)
  const world: InitiativeWorld = {
    rooms: async () => (supervisor.isMutedEverywhere() ? [] : beginningRooms(db, chat)),
    load: (room) => store.load(roomKey(room)),
    busy: () => busyRooms(supervisor),
    say: supervisor.say,
    takeCall: supervisor.takeCall,
    spend: supervisor.spend,
  }
  const lookNeeds: LookNeeds = { ...needs, models, parts, web, policy: openPolicy(chat), instructions }
  const initiating = openInitiating({
    ...{ clock, random, log, chat, world, store: openInitiativeStore(needs) },
    heldBack: () => thoughtHeldBack({ ...needs, models }),
    look: (rooms, options) => look(lookNeeds, rooms, options),
    async prepare(thought, signal) {
      if (thought.media === null) return {}
      const made = await parts.media.make(thought.media, { room: thought.room, signal })
      if (made.outcome === "made") return made
      log.warn("Media for a thought could not be made.", { reason: made.reason })
      return { usd: made.usd }
    },
    onPosted: (thought, posts) => notePosted(needs, parts, thought, posts),
  })
  await initiating.open()
  const underWay = new Set<Promise<unknown>>()
  /** Work that `settled` waits for. */
  const tracked = async <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }
  const looking = startLoop(needs, {
    firstMs: tickMs,
    ...{ problem: "Looking around in chat channels failed.", retryMs: minuteMs },
    async work() {
      await tracked(initiating.tick())
      return tickMs
    },
  })
  const readSome = async (signal: AbortSignal) => {
    if ((await world.rooms()).length === 0) return minuteMs
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

/** What the web is read through: public addresses only, and secrets stay here. */
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

/** Reading pages with Chromium, where the machine has it. */
function browserOf(needs: Pick<WebNeeds, "reader" | "robots"> & { clock: Clock }): WebNeeds["browse"] {
  const chromium = findChromium()
  if (chromium === undefined) return undefined
  return (url, options) => browsePage({ ...needs, chromium }, url, options)
}

/** Remembers what was said: its links are not brought up again, and how it is taken can be counted. */
async function notePosted(
  { db, clock, random }: InitiateNeeds,
  parts: InitiativeParts,
  { id, room, text, media, sources }: Thought,
  messageIds: readonly string[],
): Promise<void> {
  const community = communityKey(room)
  const at = clock.now()
  const found = linksIn(text)
  const [source] = sources
  const links = found.map((link) => ({
    link,
    by: "us" as const,
    ...(source === undefined ? {} : { source }),
  }))
  await noteLinks(db, { community, at, links }, { operation: newId(random, "op"), actor: "chat" })
  const kind = media ? "media" : found.length > 0 ? "link" : "thought"
  await parts.feedback.notePost({ community, room, messageIds, kind, sources, thoughtId: id, at })
}
