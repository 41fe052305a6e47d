import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import type { OwnWords } from "../../chat/conversation/event.ts"
import {
  type ConversationState,
  communityKey,
  type Delivery,
  roomKey,
} from "../../chat/conversation/state.ts"
import {
  type Changed,
  type CommunityRef,
  type CommunityState,
  newCommunity,
  type ThoughtEntry,
} from "../../chat/initiative/community.ts"
import { letGo, type Saying } from "../../chat/initiative/consider.ts"
import { type InitiativeRules, initiativeRules } from "../../chat/initiative/rules.ts"
import { type InitiativeSettings, initiativeSettings } from "../../chat/initiative/settings.ts"
import type { InitiativeStore } from "../../chat/initiative/store.ts"
import type { Thought } from "../../chat/initiative/thought.ts"
import type { Config } from "../../config/schema.ts"
import type { Core } from "../../storage/core.ts"
import { markOf } from "./gather.ts"
import type { LookOutcome } from "./look.ts"

/** One room as a look sees it. */
interface LookedRoom {
  room: RoomRef
  state: ConversationState | null
  isBusy: boolean
}

/** The rooms around the cycle. The daemon's are real; a rehearsal's only pretend to say something. */
export interface InitiativeWorld {
  /** Every room in which it may begin a subject. */
  rooms(): Promise<RoomRef[]>
  load(room: RoomRef): Promise<ConversationState | null>
  /** Rooms, by their keys, in which people talk with it or a model is being asked. */
  busy(): ReadonlySet<string>
  /** What came of it is told to `onOwn`. */
  say(room: RoomRef, words: OwnWords): void
  takeCall(room: RoomRef): Promise<{ outcome: "taken" } | { outcome: "refused"; reason: string }>
  spend(room: RoomRef, usd: number): void
}

export interface InitiatingNeeds extends Pick<Core, "clock" | "random" | "log"> {
  chat: Config["chat"]
  store: InitiativeStore
  world: InitiativeWorld
  /** Why no model may be asked now, as the budget has it; undefined where one may. */
  heldBack(): Promise<string | undefined>
  look(
    rooms: readonly LookedRoom[],
    options: { thought: Thought | null; run: string; signal: AbortSignal },
  ): Promise<LookOutcome>
  /** Makes what a thought comes with, and keeps it until it is posted; nothing where it cannot be made. */
  prepare?(thought: Thought, signal: AbortSignal): Promise<Prepared>
  /** Hears of everything that was said. */
  onPosted?(thought: Thought, posts: readonly string[]): Promise<void>
  /** What changes a community; given only to try it out. */
  rules?: InitiativeRules
}

/** What goes along with a thought. */
interface Prepared {
  attachment?: string | undefined
  usd?: number | undefined
}

/** Thoughts of its own at work, in all communities. */
export interface Initiating {
  /** Takes up what was stored; before anything is said. */
  open(): Promise<void>
  /** Looks at every community once, and begins what is due. */
  tick(): Promise<void>
  onOwn(room: RoomRef, key: string, delivery: Delivery): void
  /** Somebody wants what they said forgotten: no thought is kept that may be made of it. */
  forget(community: CommunityRef): void
  states(): CommunityState[]
  /** Settles when everything that began is over and stored. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/** So many communities are looked at at once; who waited longest comes first. */
const mostAtOnce = 2
/** A thought that its room lost sight of is settled after this long. */
const longestPostingMs = 10 * 60_000

/** Opens the cycle over a world. Nothing happens but by `tick` and `onOwn`. */
export function openInitiating(needs: InitiatingNeeds): Initiating {
  const { clock, random, log, store, world, chat } = needs
  const { tick, refuse, begin, conclude, delivered, fail, recover } = needs.rules ?? initiativeRules
  const states = new Map<string, CommunityState>()
  const settings = new Map<string, InitiativeSettings>()
  const saving = new Map<string, Promise<void>>()
  /** What the journal is still to be told, by community. */
  const untold = new Map<string, ThoughtEntry[]>()
  const running = new Set<Promise<void>>()
  const looking = new Set<string>()
  /** In which order communities became due and wait for their turn; a clock that is set changes nothing about it. */
  const turns = new Map<string, number>()
  let lastTurn = 0
  let waiting: Ready[] = []
  const sayings = new Map<string, Saying>()
  const stopping = new AbortController()

  const settingsOf = (key: string) => {
    const known = settings.get(key) ?? initiativeSettings(chat.initiative, key)
    settings.set(key, known)
    return known
  }
  /**
   * Takes a change in at once, and stores it after what was to be stored before; fails where it cannot be. What the journal
   * was to be told then, it is told at the next tick.
   */
  const apply = (key: string, { state, entries }: Changed, isKept = false): Promise<void> => {
    states.set(key, state)
    const telling = untold.get(key) ?? []
    untold.set(key, telling)
    telling.push(...entries)
    if (!isKept && telling.length === 0) return Promise.resolve()
    const at = clock.now()
    const saved = (saving.get(key) ?? Promise.resolve())
      .catch(() => undefined)
      .then(async () => {
        const told = telling.splice(0)
        try {
          await store.save(state, told, at)
        } catch (error) {
          telling.unshift(...told)
          throw error
        }
      })
    saving.set(key, saved)
    saved.catch((error) => log.warn("A thought could not be stored.", { reason: messageOf(error) }))
    return saved
  }
  /** What fails for one community stops none of the others. */
  const apart = (key: string, work: () => Promise<void>) =>
    work().catch((error) =>
      log.warn("A community could not be looked at.", { community: key, reason: messageOf(error) }),
    )
  const inBackground = (work: Promise<void>) => {
    const done = work
      .catch((error) => log.warn("A thought of its own failed.", { reason: messageOf(error) }))
      .finally(() => running.delete(done))
    running.add(done)
  }

  /** What its room knows of a thought that was on its way; "waits" while the room still works on it. */
  const settledBy = async ({ room }: Thought, key: string): Promise<Delivery | "waits" | undefined> => {
    const state = await world.load(room)
    if (state?.run?.outgoing?.key === key) return "waits"
    return state?.own?.find((one) => one.key === key)?.delivery
  }

  const tickOne = async (key: string, rooms: readonly RoomRef[], ready: Ready[]) => {
    await settleLost(key)
    const before = states.get(key) ?? (rooms[0] && newCommunity(rooms[0]))
    if (before === undefined) return
    const busy = world.busy()
    const mark = before.thought === null ? null : markOf(await loaded(rooms, busy))
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
  const settleLost = async (key: string) => {
    const thought = states.get(key)?.thought
    if (!thought?.postingAs || clock.now() - thought.updatedAt < longestPostingMs) return
    const found = await settledBy(thought, thought.postingAs)
    if (found === "waits") return
    const lost: Delivery = { outcome: "unknown", reason: "Its room does not know what came of it." }
    await end(key, thought.postingAs, found ?? lost)
  }
  const loaded = async (rooms: readonly RoomRef[], busy: ReadonlySet<string>): Promise<LookedRoom[]> => {
    const all: LookedRoom[] = []
    for (const room of rooms) {
      const state = await world.load(room)
      if (!state?.isMuted && !state?.hasLeft) all.push({ room, state, isBusy: busy.has(roomKey(room)) })
    }
    return all
  }
  const refused = (key: string, gate: "budget" | "channels", reason: string) => {
    // Who may not go now does not stand in the way of those behind.
    turns.delete(key)
    const state = states.get(key)
    return state ? apply(key, refuse(state, { gate, reason }, clock.now())) : Promise.resolve()
  }
  /** A call that cannot be counted is not made; that it failed is told as soon as something can be stored again. */
  const beginOne = async (key: string, begun: Changed) => {
    turns.delete(key)
    try {
      await apply(key, begun)
    } catch (error) {
      const failed = fail(begun.state, "It could not be stored that a model is asked.", clock.now())
      await apply(key, failed).catch(() => undefined)
      throw error
    }
  }
  /** One look from its beginning to what is said. */
  const considerOne = async ({ key, rooms, go }: Ready) => {
    const open = await loaded(rooms, world.busy())
    const first = open[0]?.room
    if (first === undefined)
      return refused(key, "channels", "It is muted in every channel of this community.")
    const held = await needs.heldBack()
    if (held !== undefined) return refused(key, "budget", held)
    const taken = await world.takeCall(first)
    if (taken.outcome === "refused") return refused(key, "budget", taken.reason)
    const state = states.get(key)
    if (state === undefined || state.underWay !== null) return
    const run = newId(random, "t")
    await beginOne(key, begin(state, go, { id: run, at: clock.now() }))
    const thought = go === "revisit" ? (states.get(key)?.thought ?? null) : null
    const outcome = await needs.look(open, { thought, run, signal: stopping.signal }).catch(
      (error): LookOutcome => ({
        ...{ outcome: "failed", reason: messageOf(error), calls: 1, usd: 0 },
        tokens: { input: 0, output: 0 },
      }),
    )
    world.spend(first, outcome.usd)
    // Who stops the program takes the chance away; it is missed, as after any restart.
    if (stopping.signal.aborted) return
    await concludeOne(key, outcome)
  }
  const concludeOne = async (key: string, outcome: LookOutcome) => {
    const state = states.get(key)
    if (state === undefined) return
    const at = clock.now()
    if (outcome.outcome === "failed") return apply(key, fail(state, outcome.reason, at))
    const { say, ...changed } = conclude(state, outcome.answer, settingsOf(key), { ...outcome, at })
    // What is on its way is stored before it leaves.
    await apply(key, changed, true)
    if (say !== null) await sayOne(say)
  }
  const sayOne = async (say: Saying) => {
    const { thought, kind, key, reason } = say
    const { attachment, usd = 0 } = await prepared(thought)
    if (usd > 0) world.spend(thought.room, usd)
    if (stopping.signal.aborted) return
    const late = tooLate(thought)
    if (late !== undefined)
      return end(communityKey(thought.room), key, { outcome: "kept back", reason: late })
    sayings.set(key, say)
    world.say(thought.room, {
      run: kind,
      key,
      text: thought.text,
      replyTo: thought.replyTo,
      reason,
      attachment,
    })
  }
  /** A thought whose media cannot be made is said without them. */
  const prepared = async (thought: Thought): Promise<Prepared> => {
    if (thought.media === null || needs.prepare === undefined) return {}
    return needs.prepare(thought, stopping.signal).catch((error) => {
      log.warn("Media for a thought could not be made.", { reason: messageOf(error) })
      return {}
    })
  }
  /** The model took its time, and so may have what was made for it. */
  const tooLate = ({ expiresAt, room }: Thought): string | undefined => {
    const at = clock.now()
    if (expiresAt <= at) return "Its time was over before it could be said (chat.initiative.text.hold_hours)."
    return settingsOf(communityKey(room)).afterQuiet(at) > at
      ? "The community's quiet hours had begun before it could be said."
      : undefined
  }
  const end = async (key: string, saying: string, delivery: Delivery) => {
    const state = states.get(key)
    const thought = state?.thought
    if (state === undefined || !thought || thought.postingAs !== saying) return
    const reason = sayings.get(saying)?.reason ?? thought.reason
    sayings.delete(saying)
    await apply(key, delivered(state, saying, delivery, reason, clock.now()))
    if (delivery.outcome === "posted") await needs.onPosted?.(thought, delivery.posts)
  }

  const settled = async () => {
    while (running.size > 0) await Promise.all(running)
    await Promise.all([...saving.values()].map((one) => one.catch(() => undefined)))
  }

  return {
    async open() {
      for (const stored of await store.all()) {
        const key = communityKey(stored)
        const posting = stored.thought?.postingAs
        await apart(key, async () => {
          // Until it is known what came of it, it is on its way.
          states.set(key, { ...stored, underWay: null })
          const found = stored.thought && posting ? await settledBy(stored.thought, posting) : undefined
          if (found !== "waits") await apply(key, recover(stored, found, clock.now()))
        })
      }
    },
    async tick() {
      const ready: Ready[] = []
      waiting = []
      for (const [key, rooms] of await communities()) {
        if (stopping.signal.aborted) return
        if (!looking.has(key)) await apart(key, () => tickOne(key, rooms, ready))
      }
      beginSome(ready)
    },
    onOwn(room, key, delivery) {
      inBackground(end(communityKey(room), key, delivery))
    },
    forget(community) {
      const key = communityKey(community)
      const state = states.get(key)
      if (state) inBackground(apply(key, letGo(state, "Somebody wanted what they said forgotten.")))
    },
    states: () => [...states.values()],
    settled,
    async stop() {
      stopping.abort(new Error("The program stops."))
      await settled()
    },
  }

  /** Every community with channels, and every one that had some: that it has none is why nothing is thought about there. */
  async function communities(): Promise<Map<string, RoomRef[]>> {
    const rooms = new Map<string, RoomRef[]>([...states.keys()].map((key) => [key, []]))
    for (const room of await world.rooms()) {
      const key = communityKey(room)
      rooms.set(key, [...(rooms.get(key) ?? []), room])
    }
    return rooms
  }

  /** As many as may be at once, in the order in which they became due; when one is over, the next has its turn. */
  function beginSome(ready: Ready[]): void {
    waiting = ready.filter(({ key }) => !looking.has(key)).sort((a, b) => a.turn - b.turn)
    while (beginNext()) {}
  }
  function beginNext(): boolean {
    if (looking.size >= mostAtOnce || stopping.signal.aborted) return false
    const one = waiting.shift()
    if (one === undefined) return false
    looking.add(one.key)
    const work = considerNow(one).finally(() => {
      looking.delete(one.key)
      beginNext()
    })
    inBackground(work)
    return true
  }
  /** Much may have changed while it waited, also while others were looked at in the same tick: the gates are asked again. */
  async function considerNow({ key, rooms }: Ready): Promise<void> {
    const ready: Ready[] = []
    await tickOne(key, rooms, ready)
    for (const one of ready) await considerOne(one)
  }
}

interface Ready {
  key: string
  rooms: readonly RoomRef[]
  go: "fresh" | "revisit"
  turn: number
}
