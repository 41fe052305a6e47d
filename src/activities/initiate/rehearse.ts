import type { Clock } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { silentLog } from "../../base/log.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import type { OwnPost } from "../../chat/conversation/event.ts"
import { type ConversationState, communityKey, type Line, roomKey } from "../../chat/conversation/state.ts"
import { emptyPerformance } from "../../chat/feedback/performance.ts"
import type { ThoughtEntry } from "../../chat/initiative/community.ts"
import type { InitiativeStore } from "../../chat/initiative/store.ts"
import { openInstructions } from "../../chat/listening/instructions.ts"
import { openPolicy } from "../../chat/policy/room-policy.ts"
import { openChatStore } from "../../chat/supervisor/store.ts"
import type { Host } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"
import type { Models } from "../../llm/choice/models.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { type ConsiderNeeds, considerCommunity } from "./consider-community.ts"
import { type Initiating, openInitiating } from "./initiating.ts"
import { topicRooms } from "./start-initiating.ts"

export type RehearseNeeds = MemoryCore & Pick<Host, "env" | "paths"> & { models: Models }

interface RehearsedStep {
  at: number
  kind: ThoughtEntry["kind"]
  reason: string
  /** What it would have posted or held, and where; null if nothing. */
  text: string | null
  room: string | null
}

/** What would have happened in a community, and what the rehearsal cost. */
export interface Rehearsal {
  community: string
  from: number
  until: number
  /** How many stored messages it is based on. */
  messages: number
  steps: RehearsedStep[]
  /** Why it would have posted nothing the rest of the time: each gate, and at how many ticks it refused. */
  silence: { gate: string; reason: string; times: number }[]
  calls: number
  tokens: { input: number; output: number }
  usd: number
  /** Whether it ended early, at the limit of model runs. */
  isCut: boolean
}

const hourMs = 3_600_000
/** At most this many model runs, however many hours are rehearsed. */
const maxModelRuns = 40

/**
 * Replays the stored last hours of a community with sending switched off. It asks the model for real, without tools;
 * nothing is posted, and only the cost of the calls is stored.
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
  const rehearsal = openRehearsal(needs, rooms, from)
  const { initiative } = needs.config.chat
  const tickMs = initiative.text.tick_seconds * 1000
  for (let at = from; at <= until && rehearsal.runs() < maxModelRuns; at += tickMs) {
    signal.throwIfAborted()
    await rehearsal.tick(at)
  }
  return {
    community: communityKey(first.room),
    from,
    until,
    messages: lines.length,
    ...rehearsal.report(),
    isCut: rehearsal.runs() >= maxModelRuns,
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
  for (const room of await topicRooms(needs.db, needs.config.chat)) {
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
    return "There is nothing to rehearse: chat.policy.discovery_channels is empty; list the channels in which it may start topics."
  return `There is nothing to rehearse: no messages are stored of a channel of ${community} in which it may start topics (chat.policy.discovery_channels); name it as PLATFORM/COMMUNITY, and let people talk there while it listens.`
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

/** Runs the initiative over stored rooms with a manual clock; posts are only recorded. */
function openRehearsal(needs: RehearseNeeds, rooms: readonly StoredRoom[], from: number) {
  let now = from
  let runs = 0
  const said = new Map<string, Line[]>()
  const steps: RehearsedStep[] = []
  const silence = new Map<string, { gate: string; reason: string; times: number }>()
  const spent = { calls: 0, tokens: { input: 0, output: 0 }, usd: 0 }
  const clock: Clock = { now: () => now, after: needs.clock.after }
  const { chat } = needs.config
  const shown = (room: RoomRef): ConversationState | null => {
    const key = roomKey(room)
    const stored = rooms.find((one) => roomKey(one.room) === key)
    if (stored === undefined) return null
    const recent = [...(stored.state.recent ?? []), ...(said.get(key) ?? [])]
      .filter(({ at }) => at <= now)
      .toSorted((a, b) => a.at - b.at)
    return { ...stored.state, run: null, own: [], recent }
  }
  const say = (room: RoomRef, { key, text }: OwnPost) => {
    said.set(roomKey(room), [...(said.get(roomKey(room)) ?? []), ownLine(chat.name, key, text, now)])
    initiating.onOwnPost(room, key, { outcome: "posted", posts: [key] })
  }
  const considerNeeds: ConsiderNeeds = {
    ...needs,
    clock,
    policy: openPolicy(chat),
    instructions: openInstructions(needs),
    mediaLeft: async () => null,
    performance: async () => emptyPerformance(),
    // Tools read the web, change sources and write to the journal: a rehearsal has none.
    web: undefined,
  }
  const initiating: Initiating = openInitiating({
    clock,
    random: needs.random,
    log: silentLog,
    chat,
    store: recordingStore(steps, () => now),
    host: {
      rooms: async () => rooms.map(({ room }) => room),
      load: async (room) => shown(room),
      busy: () => new Set<string>(),
      ...{ say, takeCall: async () => ({ outcome: "taken" }), spend: () => undefined },
    },
    budgetProblem: async () => undefined,
    async consider(open, options) {
      runs += 1
      const outcome = await considerCommunity(considerNeeds, open, options)
      spent.calls += outcome.calls
      spent.usd += outcome.usd
      spent.tokens.input += outcome.tokens.input
      spent.tokens.output += outcome.tokens.output
      return outcome
    },
  })
  return {
    runs: () => runs,
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
    report: () => ({ steps, silence: [...silence.values()].sort((a, b) => b.times - a.times), ...spent }),
  }
}

/** A store that only records the journal entries. */
function recordingStore(steps: RehearsedStep[], now: () => number): InitiativeStore {
  let text: string | null = null
  return {
    all: async () => [],
    async save({ thought }, entries) {
      text = thought?.text ?? text
      for (const entry of entries) if (!hiddenKinds.has(entry.kind)) steps.push(stepOf(entry, text, now()))
      if (thought === null) text = null
    },
  }
}

const hiddenKinds: ReadonlySet<string> = new Set(["thought.refused", "thought.considered"])

function stepOf({ kind, reason, data }: ThoughtEntry, text: string | null, at: number): RehearsedStep {
  const isAboutOne = kind !== "thought.failed" && data?.thought !== undefined
  const room = data?.room as RoomRef | undefined
  return { at, kind, reason, text: isAboutOne ? text : null, room: room ? roomKey(room) : null }
}

function ownLine(name: string, id: string, text: string, at: number): Line {
  const author = { id: "us", name, isBot: true }
  return { id, author, text, at, replyTo: null, isOurs: true, isVoice: false, reactions: [] }
}
