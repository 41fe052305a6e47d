import { createBackground } from "../../base/background.ts"
import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import type { OwnPost } from "../../chat/conversation/event.ts"
import {
  type ConversationState,
  communityKey,
  type Delivery,
  roomKey,
} from "../../chat/conversation/state.ts"
import {
  type CommunityChange,
  type CommunityRef,
  type CommunityState,
  newCommunity,
  type ThoughtEntry,
} from "../../chat/initiative/community.ts"
import { dropThought, type ThoughtPost } from "../../chat/initiative/consider.ts"
import { type InitiativeRules, initiativeRules } from "../../chat/initiative/rules.ts"
import { type InitiativeSettings, initiativeSettings } from "../../chat/initiative/settings.ts"
import type { InitiativeStore } from "../../chat/initiative/store.ts"
import type { Thought } from "../../chat/initiative/thought.ts"
import type { Config } from "../../config/schema.ts"
import type { Core } from "../../storage/core.ts"
import type { ConsiderOutcome } from "./consider-community.ts"
import { markOf } from "./gather.ts"

/** One room when a community is considered. */
interface RoomSnapshot {
  room: RoomRef
  state: ConversationState | null
  isBusy: boolean
}

/** The rooms that the initiative works with. A rehearsal only records posts. */
export interface InitiativeHost {
  /** Every room in which it may start topics. */
  rooms(): Promise<RoomRef[]>
  load(room: RoomRef): Promise<ConversationState | null>
  /** The keys of rooms in which people talk with it or a model is being asked. */
  busy(): ReadonlySet<string>
  /** What came of it is told to `onOwnPost`. */
  say(room: RoomRef, words: OwnPost): void
  takeCall(room: RoomRef): Promise<{ outcome: "taken" } | { outcome: "refused"; reason: string }>
  spend(room: RoomRef, usd: number): void
}

export interface InitiatingNeeds extends Pick<Core, "clock" | "random" | "log"> {
  chat: Config["chat"]
  store: InitiativeStore
  host: InitiativeHost
  /** Why the budget allows no model call now; undefined if it does. */
  budgetProblem(): Promise<string | undefined>
  consider(
    rooms: readonly RoomSnapshot[],
    options: { thought: Thought | null; run: string; signal: AbortSignal },
  ): Promise<ConsiderOutcome>
  /** Makes the media of a thought; nothing if they cannot be made. */
  prepare?(thought: Thought, signal: AbortSignal): Promise<Prepared>
  /** Called for every post that was delivered. */
  onPosted?(thought: Thought, posts: readonly string[]): Promise<void>
  /** Replaces the pure rules, in tests. */
  rules?: InitiativeRules
}

interface Prepared {
  attachment?: string | undefined
  usd?: number | undefined
}

/** Posts of its own in all communities. */
export interface Initiating {
  /** Loads what was stored; before anything is posted. */
  open(): Promise<void>
  /** Checks every community once, and starts what is due. */
  tick(): Promise<void>
  onOwnPost(room: RoomRef, key: string, delivery: Delivery): void
  /** Drops a held thought that may contain what a user asked to have forgotten. */
  forget(community: CommunityRef): void
  states(): CommunityState[]
  /** Settles when everything that started is finished and stored. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/** At most this many communities are considered at once; the one that waited longest comes first. */
const maxConcurrent = 2
/** A post without a delivery is resolved after this. */
const lostAfterMs = 10 * 60_000

/** Opens the cycle over a host. Nothing happens but by `tick` and `onOwnPost`. */
export function openInitiating(needs: InitiatingNeeds): Initiating {
  const { clock, random, log, store, host, chat } = needs
  const { tick, refuse, begin, conclude, delivered, fail, recover } = needs.rules ?? initiativeRules
  const states = new Map<string, CommunityState>()
  const settings = new Map<string, InitiativeSettings>()
  const saving = new Map<string, Promise<void>>()
  /** Journal entries that are not stored yet, by community. */
  const unsaved = new Map<string, ThoughtEntry[]>()
  const running = createBackground((error) =>
    log.warn("A thought of its own failed.", { reason: messageOf(error) }),
  )
  const considering = new Set<string>()
  /** The order in which communities became due; it does not depend on the clock. */
  const turns = new Map<string, number>()
  let lastTurn = 0
  let waiting: DueCommunity[] = []
  const pendingPosts = new Map<string, ThoughtPost>()
  const stopping = new AbortController()

  const settingsOf = (key: string) => {
    const known = settings.get(key) ?? initiativeSettings(chat.initiative, key)
    settings.set(key, known)
    return known
  }
  /**
   * Applies a change at once and stores it after earlier changes; rejects if it cannot be stored. Its journal entries are
   * then stored with the next change.
   */
  const apply = (key: string, { state, entries }: CommunityChange, mustSave = false): Promise<void> => {
    states.set(key, state)
    const entriesToSave = unsaved.get(key) ?? []
    unsaved.set(key, entriesToSave)
    entriesToSave.push(...entries)
    if (!mustSave && entriesToSave.length === 0) return Promise.resolve()
    const at = clock.now()
    const saved = (saving.get(key) ?? Promise.resolve())
      .catch(() => undefined)
      .then(async () => {
        const told = entriesToSave.splice(0)
        try {
          await store.save(state, told, at)
        } catch (error) {
          entriesToSave.unshift(...told)
          throw error
        }
      })
    saving.set(key, saved)
    saved.catch((error) => log.warn("A thought could not be stored.", { reason: messageOf(error) }))
    return saved
  }
  /** An error in one community does not stop the others. */
  const isolated = (key: string, work: () => Promise<void>) =>
    work().catch((error) =>
      log.warn("A community could not be checked.", { community: key, reason: messageOf(error) }),
    )

  /** The delivery of a post as its room knows it; "waits" while the room still sends it. */
  const deliveryInRoom = async ({ room }: Thought, key: string): Promise<Delivery | "waits" | undefined> => {
    const state = await host.load(room)
    if (state?.run?.outgoing?.key === key) return "waits"
    return state?.own?.find((one) => one.key === key)?.delivery
  }

  const tickCommunity = async (key: string, rooms: readonly RoomRef[], ready: DueCommunity[]) => {
    await resolveLostPost(key)
    const before = states.get(key) ?? (rooms[0] && newCommunity(rooms[0]))
    if (before === undefined) return
    const busy = host.busy()
    const mark = before.thought === null ? null : markOf(await loadRooms(rooms, busy))
    const at = clock.now()
    const situation = { channels: rooms, busy, mark }
    const { verdict, ...changed } = tick(states.get(key) ?? before, situation, settingsOf(key), {
      at,
      chance: random.next(),
    })
    if (verdict.go === "nothing") turns.delete(key)
    else if (!turns.has(key)) {
      lastTurn += 1
      turns.set(key, lastTurn)
    }
    await apply(key, changed)
    if (verdict.go !== "nothing") ready.push({ key, rooms, go: verdict.go, turn: turns.get(key) ?? lastTurn })
  }
  const resolveLostPost = async (key: string) => {
    const thought = states.get(key)?.thought
    if (!thought?.postingAs || clock.now() - thought.updatedAt < lostAfterMs) return
    const found = await deliveryInRoom(thought, thought.postingAs)
    if (found === "waits") return
    const lost: Delivery = { outcome: "unknown", reason: "Its room has no record of the result." }
    await end(key, thought.postingAs, found ?? lost)
  }
  const loadRooms = async (rooms: readonly RoomRef[], busy: ReadonlySet<string>): Promise<RoomSnapshot[]> => {
    const all: RoomSnapshot[] = []
    for (const room of rooms) {
      const state = await host.load(room)
      if (!state?.isMuted && !state?.hasLeft) all.push({ room, state, isBusy: busy.has(roomKey(room)) })
    }
    return all
  }
  const refused = (key: string, gate: "budget" | "channels", reason: string) => {
    // A refused community must not block those behind it.
    turns.delete(key)
    const state = states.get(key)
    return state ? apply(key, refuse(state, { gate, reason }, clock.now())) : Promise.resolve()
  }
  /** A call that cannot be stored is not made; the failure is journalled once storing works again. */
  const beginRun = async (key: string, begun: CommunityChange) => {
    turns.delete(key)
    try {
      await apply(key, begun)
    } catch (error) {
      const failed = fail(begun.state, "The call of the model could not be recorded.", clock.now())
      await apply(key, failed).catch(() => undefined)
      throw error
    }
  }
  /** Considers a community, up to the post. */
  const considerDue = async ({ key, rooms, go }: DueCommunity) => {
    const open = await loadRooms(rooms, host.busy())
    const first = open[0]?.room
    if (first === undefined)
      return refused(key, "channels", "It is muted in every channel of this community.")
    const held = await needs.budgetProblem()
    if (held !== undefined) return refused(key, "budget", held)
    const taken = await host.takeCall(first)
    if (taken.outcome === "refused") return refused(key, "budget", taken.reason)
    const state = states.get(key)
    if (state === undefined || state.underWay !== null) return
    const run = newId(random, "t")
    await beginRun(key, begin(state, go, { id: run, at: clock.now() }))
    const thought = go === "revisit" ? (states.get(key)?.thought ?? null) : null
    const outcome = await needs.consider(open, { thought, run, signal: stopping.signal }).catch(
      (error): ConsiderOutcome => ({
        ...{ outcome: "failed", reason: messageOf(error), calls: 1, usd: 0 },
        tokens: { input: 0, output: 0 },
      }),
    )
    host.spend(first, outcome.usd)
    // When the program stops, this chance is lost, as after any restart.
    if (stopping.signal.aborted) return
    await applyOutcome(key, outcome)
  }
  const applyOutcome = async (key: string, outcome: ConsiderOutcome) => {
    const state = states.get(key)
    if (state === undefined) return
    const at = clock.now()
    if (outcome.outcome === "failed") return apply(key, fail(state, outcome.reason, at))
    const { say, ...changed } = conclude(state, outcome.answer, settingsOf(key), { ...outcome, at })
    // The state is stored before the post is sent.
    await apply(key, changed, true)
    if (say !== null) await postThought(say)
  }
  const postThought = async (say: ThoughtPost) => {
    const { thought, kind, key, reason } = say
    const { attachment, usd = 0 } = await prepared(thought)
    if (usd > 0) host.spend(thought.room, usd)
    if (stopping.signal.aborted) return
    const late = lateReason(thought)
    if (late !== undefined)
      return end(communityKey(thought.room), key, { outcome: "kept back", reason: late })
    pendingPosts.set(key, say)
    host.say(thought.room, {
      run: kind,
      key,
      text: thought.text,
      replyTo: thought.replyTo,
      reason,
      attachment,
    })
  }
  /** A thought whose media cannot be made is posted without them. */
  const prepared = async (thought: Thought): Promise<Prepared> => {
    if (thought.media === null || needs.prepare === undefined) return {}
    return needs.prepare(thought, stopping.signal).catch((error) => {
      log.warn("Media for a thought could not be made.", { reason: messageOf(error) })
      return {}
    })
  }
  /** Asking the model and making media take time: checks again whether it may still be posted. */
  const lateReason = ({ expiresAt, room }: Thought): string | undefined => {
    const at = clock.now()
    if (expiresAt <= at) return "It expired before it could be posted (chat.initiative.text.hold_hours)."
    return settingsOf(communityKey(room)).afterQuiet(at) > at
      ? "The community's quiet hours began before it could be posted."
      : undefined
  }
  const end = async (key: string, saying: string, delivery: Delivery) => {
    const state = states.get(key)
    const thought = state?.thought
    if (state === undefined || !thought || thought.postingAs !== saying) return
    const reason = pendingPosts.get(saying)?.reason ?? thought.reason
    pendingPosts.delete(saying)
    await apply(key, delivered(state, saying, delivery, reason, clock.now()))
    if (delivery.outcome === "posted") await needs.onPosted?.(thought, delivery.posts)
  }

  const settled = async () => {
    await running.settled()
    await Promise.all([...saving.values()].map((one) => one.catch(() => undefined)))
  }

  return {
    async open() {
      for (const stored of await store.all()) {
        const key = communityKey(stored)
        const posting = stored.thought?.postingAs
        await isolated(key, async () => {
          // Until its delivery is known, it counts as being sent.
          states.set(key, { ...stored, underWay: null })
          const found = stored.thought && posting ? await deliveryInRoom(stored.thought, posting) : undefined
          if (found !== "waits") await apply(key, recover(stored, found, clock.now()))
        })
      }
    },
    async tick() {
      const ready: DueCommunity[] = []
      waiting = []
      for (const [key, rooms] of await communities()) {
        if (stopping.signal.aborted) return
        if (!considering.has(key)) await isolated(key, () => tickCommunity(key, rooms, ready))
      }
      startDue(ready)
    },
    onOwnPost(room, key, delivery) {
      running.run(end(communityKey(room), key, delivery))
    },
    forget(community) {
      const key = communityKey(community)
      const state = states.get(key)
      if (state) running.run(apply(key, dropThought(state, "A user asked to have their messages forgotten.")))
    },
    states: () => [...states.values()],
    settled,
    async stop() {
      stopping.abort(new Error("The program is stopping."))
      await settled()
    },
  }

  /** Every community with channels, and every known one without, so that its state says why nothing is posted there. */
  async function communities(): Promise<Map<string, RoomRef[]>> {
    const rooms = new Map<string, RoomRef[]>([...states.keys()].map((key) => [key, []]))
    for (const room of await host.rooms()) {
      const key = communityKey(room)
      rooms.set(key, [...(rooms.get(key) ?? []), room])
    }
    return rooms
  }

  /** Starts due communities up to the limit, in the order in which they became due. */
  function startDue(ready: DueCommunity[]): void {
    waiting = ready.filter(({ key }) => !considering.has(key)).sort((a, b) => a.turn - b.turn)
    while (startNext()) {}
  }
  function startNext(): boolean {
    if (considering.size >= maxConcurrent || stopping.signal.aborted) return false
    const one = waiting.shift()
    if (one === undefined) return false
    considering.add(one.key)
    const work = recheckAndConsider(one).finally(() => {
      considering.delete(one.key)
      startNext()
    })
    running.run(work)
    return true
  }
  /** Much may have changed while it waited, so the gates are checked again. */
  async function recheckAndConsider({ key, rooms }: DueCommunity): Promise<void> {
    const ready: DueCommunity[] = []
    await tickCommunity(key, rooms, ready)
    for (const one of ready) await considerDue(one)
  }
}

interface DueCommunity {
  key: string
  rooms: readonly RoomRef[]
  go: "fresh" | "revisit"
  turn: number
}
