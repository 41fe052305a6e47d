import type { Clock } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { silentLog } from "../../base/log.ts"
import { createSafeFetch } from "../../base/net/safe-fetch/safe-fetch.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import type { OwnWords } from "../../chat/conversation/event.ts"
import { type ConversationState, communityKey, type Line, roomKey } from "../../chat/conversation/state.ts"
import { createReader } from "../../chat/discovery/reading/reader.ts"
import { createRobots } from "../../chat/discovery/web/robots.ts"
import type { ThoughtEntry } from "../../chat/initiative/community.ts"
import type { InitiativeStore } from "../../chat/initiative/store.ts"
import { openInstructions } from "../../chat/listening/instructions.ts"
import { openPolicy } from "../../chat/policy/room-policy.ts"
import { openChatStore } from "../../chat/supervisor/store.ts"
import type { Host } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"
import { type Initiating, openInitiating } from "./initiating.ts"
import { type LookNeeds, look } from "./look.ts"
import { noParts } from "./parts.ts"
import { beginningRooms } from "./start-initiating.ts"

export type RehearseNeeds = Omit<LookNeeds, "policy" | "parts" | "web" | "instructions"> &
  Pick<Host, "env" | "paths">

/** One thing that would have happened. */
interface RehearsedStep {
  at: number
  kind: ThoughtEntry["kind"]
  reason: string
  /** What it would have said, and where; null where it would have said or kept nothing. */
  text: string | null
  room: string | null
}

/** What would have happened in a community, and what it cost to find out. */
export interface Rehearsal {
  community: string
  from: number
  until: number
  /** How many stored messages there were to go by. */
  messages: number
  steps: RehearsedStep[]
  /** Why it would have said nothing the rest of the time: each gate, and at how many looks around it refused. */
  silence: { gate: string; reason: string; times: number }[]
  calls: number
  tokens: { input: number; output: number }
  usd: number
  /** Whether it ended early, so as not to cost more. */
  isCut: boolean
}

const hourMs = 3_600_000
/** So many looks are made at most, whatever the hours. */
const mostLooks = 40

/**
 * Goes through the last hours of a community, as they are stored, with sending switched off. Each look asks the model for
 * real, without tools; nothing is posted and nothing is stored but the cost of the calls.
 */
export async function rehearse(
  needs: RehearseNeeds,
  { community, hours, signal }: { community: string; hours: number; signal: AbortSignal },
): Promise<Rehearsal> {
  const rooms = await storedRooms(needs, community)
  const [first] = rooms
  const lines = rooms.flatMap(({ state }) => state.recent ?? [])
  if (first === undefined || lines.length === 0)
    throw new UserError("not-found", whyNothing(needs.config.chat, community))
  await requireModel(needs)
  const until = Math.max(...lines.map(({ at }) => at)) + 60_000
  const from = until - hours * hourMs
  const stage = openStage(needs, rooms, from)
  const { initiative } = needs.config.chat
  const tickMs = initiative.text.tick_seconds * 1000
  for (let at = from; at <= until && stage.looks() < mostLooks; at += tickMs) {
    signal.throwIfAborted()
    await stage.tick(at)
  }
  return {
    ...{ community: communityKey(first.room), from, until, messages: lines.length },
    ...{ ...stage.told(), isCut: stage.looks() >= mostLooks },
  }
}

interface StoredRoom {
  room: RoomRef
  state: ConversationState
}

async function storedRooms(needs: RehearseNeeds, community: string): Promise<StoredRoom[]> {
  const wanted = community.toLowerCase()
  const store = openChatStore(needs)
  const rooms: StoredRoom[] = []
  for (const room of await beginningRooms(needs.db, needs.config.chat)) {
    if (![communityKey(room), room.community].some((name) => name.toLowerCase() === wanted)) continue
    const state = await store.load(roomKey(room))
    if (state !== null && !state.isMuted && !state.hasLeft) rooms.push({ room, state })
  }
  return rooms
}

function whyNothing({ initiative, policy }: Config["chat"], community: string): string {
  if (!initiative.text.enabled)
    return "There is nothing to rehearse: chat.initiative.text.enabled is off; set it to true."
  if (policy.discovery_channels.length === 0)
    return "There is nothing to rehearse: chat.policy.discovery_channels is empty; name the channels in which it may begin a subject."
  return `There is nothing to rehearse: no messages are stored of a channel of ${community} in which it may begin a subject (chat.policy.discovery_channels); name it as PLATFORM/COMMUNITY, and let people talk there while it listens.`
}

async function requireModel({ config, models }: RehearseNeeds): Promise<void> {
  const { execution } = config.chat.initiative.text
  if (execution === "disabled")
    throw new UserError(
      "refused",
      "No model may be asked: chat.initiative.text.execution is disabled; set it to inherit.",
    )
  const { chosen, why } = await models.choose("chat", "asked")
  if (chosen === null) throw new UserError("refused", `A rehearsal asks a model, and there is none: ${why}`)
}

/** The cycle over stored rooms: time goes on by hand, what is said is only noted. */
function openStage(needs: RehearseNeeds, rooms: readonly StoredRoom[], from: number) {
  let now = from
  let looks = 0
  const said = new Map<string, Line[]>()
  const steps: RehearsedStep[] = []
  const silence = new Map<string, { gate: string; reason: string; times: number }>()
  const spent = { calls: 0, tokens: { input: 0, output: 0 }, usd: 0 }
  const clock: Clock = { now: () => now, after: needs.clock.after }
  const config = withoutTools(needs.config)
  const shown = (room: RoomRef): ConversationState | null => {
    const key = roomKey(room)
    const stored = rooms.find((one) => roomKey(one.room) === key)
    if (stored === undefined) return null
    const recent = [...(stored.state.recent ?? []), ...(said.get(key) ?? [])]
      .filter(({ at }) => at <= now)
      .toSorted((a, b) => a.at - b.at)
    return { ...stored.state, run: null, own: [], recent }
  }
  const say = (room: RoomRef, { key, text }: OwnWords) => {
    said.set(roomKey(room), [...(said.get(roomKey(room)) ?? []), ownLine(config.chat.name, key, text, now)])
    initiating.onOwn(room, key, { outcome: "posted", posts: [key] })
  }
  // No tool of a rehearsal reaches the web; the look wants to have it at hand all the same.
  const fetch = createSafeFetch({ clock })
  const keyFor = () => undefined
  const redact = async (text: string) => text
  const lookNeeds: LookNeeds = {
    ...{ ...needs, clock, config, policy: openPolicy(config.chat) },
    instructions: openInstructions(needs),
    parts: noParts,
    web: { fetch, reader: createReader({ clock }), robots: createRobots({ clock, fetch }), keyFor, redact },
  }
  const initiating: Initiating = openInitiating({
    ...{ clock, random: needs.random, log: silentLog, chat: config.chat },
    store: openNotebook(steps, () => now),
    world: {
      rooms: async () => rooms.map(({ room }) => room),
      load: async (room) => shown(room),
      busy: () => new Set<string>(),
      ...{ say, takeCall: async () => ({ outcome: "taken" }), spend: () => undefined },
    },
    heldBack: async () => undefined,
    async look(open, options) {
      looks += 1
      const outcome = await look(lookNeeds, open, options)
      spent.calls += outcome.calls
      spent.usd += outcome.usd
      spent.tokens.input += outcome.tokens.input
      spent.tokens.output += outcome.tokens.output
      return outcome
    },
  })
  return {
    looks: () => looks,
    async tick(at: number) {
      now = at
      await initiating.tick()
      await initiating.settled()
      for (const { refusal } of initiating.states()) {
        if (refusal === null) continue
        const { gate, reason } = refusal
        const before = silence.get(gate) ?? { gate, reason, times: 0 }
        silence.set(gate, { gate, reason, times: before.times + 1 })
      }
    },
    told: () => ({ steps, silence: [...silence.values()].sort((a, b) => b.times - a.times), ...spent }),
  }
}

/** Keeps nothing: notes what the journal would have been told. */
function openNotebook(steps: RehearsedStep[], now: () => number): InitiativeStore {
  let text: string | null = null
  return {
    all: async () => [],
    async save({ thought }, entries) {
      text = thought?.text ?? text
      for (const entry of entries) if (!untold.has(entry.kind)) steps.push(stepOf(entry, text, now()))
      if (thought === null) text = null
    },
  }
}

const untold: ReadonlySet<string> = new Set(["thought.refused", "thought.considered"])

function stepOf({ kind, reason, data }: ThoughtEntry, text: string | null, at: number): RehearsedStep {
  const isAboutOne = kind !== "thought.failed" && data?.thought !== undefined
  const room = data?.room as RoomRef | undefined
  return { at, kind, reason, text: isAboutOne ? text : null, room: room ? roomKey(room) : null }
}

function ownLine(name: string, id: string, text: string, at: number): Line {
  const author = { id: "us", name, isBot: true }
  return { id, author, text, at, replyTo: null, isOurs: true, isVoice: false, reactions: [] }
}

/** Tools read the web, change sources and are noted in the journal: a rehearsal does without. */
function withoutTools(config: Config): Config {
  const { initiative } = config.chat
  const text = { ...initiative.text, max_tool_steps: 0, max_tool_calls: 0, allow_active_curiosity: false }
  const discovery = { ...initiative.discovery, allow_self_curation: false }
  return { ...config, chat: { ...config.chat, initiative: { ...initiative, text, discovery } } }
}
