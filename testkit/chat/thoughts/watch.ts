import type { InitiatingNeeds } from "../../../src/activities/initiate/initiating.ts"
import type { Reduce } from "../../../src/chat/conversation/reduce.ts"
import { type ConversationState, communityKey, roomKey } from "../../../src/chat/conversation/state.ts"
import type { CommunityChange, CommunityState, Gate } from "../../../src/chat/initiative/community.ts"
import type { InitiativeRules } from "../../../src/chat/initiative/rules.ts"
import type { Thought } from "../../../src/chat/initiative/thought.ts"
import type { CommunitySituation } from "../../../src/chat/initiative/tick.ts"
import type { RoomPolicy } from "../../../src/chat/policy/room-policy.ts"
import type { Config } from "../../../src/config/schema.ts"
import { isQuietAt } from "./local-time.ts"
import type { ThoughtMemory } from "./store.ts"
import type { Moment, Timeline } from "./timeline.ts"

/** What must never happen to thoughts of its own, by its name. */
export type ThoughtInvariant =
  | "posts per day"
  | "minutes between posts"
  | "nothing is said after its time"
  | "nothing is said in quiet hours"
  | "each community has its turn"
  | "calls for a held thought"
  | "never in an exchange"
  | "nothing is made up for after downtime"
  | "nothing is said twice"
  | "a failing model is left alone"
  | "no thought is lost"
  | "every look ends"
  | "only where it may"
  | "media budgets"

export interface ThoughtViolation {
  invariant: ThoughtInvariant
  what: string
}

/** A community that is due: how often others came before it, and the ticks that it was passed over in, the last of them. */
interface Waiting {
  overtaken: number
  ticks: number
  last: Moment
}

/** What is known of one community, from outside. */
interface Known {
  /** What reached its people. */
  posts: Moment[]
  /** What was let out, whether it arrived or not, and what counts as said. */
  sends: Moment[]
  /** Looks for something new that began, and those that a model was asked in and that did not fail. */
  begun: Moment | null
  fresh: { run: string; at: Moment }[]
  failures: number
  failedAt: Moment | null
  /** When each failure was, by what its state says of it: the disk may only know an earlier one. */
  failed: Map<string, Moment>
  posting: Moment | null
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const mostCallsOfHeld = 6
/** As many looks as there may be at once, and as often as one may be overtaken by those that begin together with it. */
const atOnce = 2
/**
 * So many ticks in a row, at least a minute apart, a community may be due without its turn, although there is room. Who
 * has its turn and waits for a slow disk takes room too, and is not seen.
 */
const patience = 5

type Text = Config["chat"]["initiative"]["text"]

/** Watches communities and what is said in them, by a clock that knows how it was set. */
export function createThoughtWatch(timeline: Timeline, text: () => Text) {
  const violations: ThoughtViolation[] = []
  const broken = (invariant: ThoughtInvariant, what: string) => {
    violations.push({ invariant, what: `${what} (${new Date(timeline.now()).toISOString()})` })
  }
  const communities = new Map<string, Known>()
  const known = (key: string): Known => {
    const one = communities.get(key) ?? {
      ...{ posts: [], sends: [], begun: null, fresh: [], failures: 0, failedAt: null, failed: new Map() },
      posting: null,
    }
    communities.set(key, one)
    return one
  }
  /** When each thought was first thought, and for how long it was good then; and the calls for each, by its first look. */
  const thoughts = new Map<string, { at: Moment; holdMs: number }>()
  const callsFor = new Map<string, number>()
  const said = new Map<string, number>()
  /** Of this life only. */
  let concluded = new Set<string>()
  let due = new Map<string, Waiting>()
  let looking = new Set<string>()
  let isDisturbed = false
  /** Communities that could not be stored when they were last looked at: they may wait, and keep nobody else waiting. */
  let unstored = new Set<string>()
  /** Communities that a slow disk is storing: they have their turn, or wait for nobody else. */
  let storing = new Set<string>()

  const thoughtOf = (id: string) => {
    const one = thoughts.get(id) ?? {
      ...{ at: timeline.moment(), holdMs: text().hold_hours * hourMs },
    }
    thoughts.set(id, one)
    return one
  }
  const within = (moments: readonly Moment[], ms: number, by: (since: Moment) => number) =>
    moments.filter((moment) => by(moment) < ms).length

  function noteDue(key: string): void {
    const waiting = due.get(key)
    if (waiting === undefined) due.set(key, { overtaken: 0, ticks: 1, last: timeline.moment() })
    else if (timeline.moment().gone - waiting.last.gone >= minuteMs) {
      waiting.ticks += 1
      waiting.last = timeline.moment()
    }
  }

  /** Whether a gate that refuses has a reason to. Where it has none, a community is kept from its turn. */
  function isJust(gate: Gate, key: string, after: CommunityState, situation: CommunitySituation): boolean {
    const { begun, sends, failures, failedAt, posting } = known(key)
    const settings = text()
    const gapMs = settings.min_minutes_between_posts * minuteMs
    switch (gate) {
      case "enabled":
        return !settings.enabled || settings.execution === "disabled"
      case "channels":
        return situation.channels.length === 0
      case "max posts per day":
        return within(sends, dayMs, timeline.least) >= settings.max_posts_per_day
      case "under way":
        return posting !== null && timeline.least(posting) < hourMs
      case "quiet hours":
        return isQuietAt(timeline.now(), settings)
      case "back-off":
        return failedAt !== null && timeline.least(failedAt) < backOffMs(failures)
      case "conversation":
        return situation.channels.every((room) => situation.busy.has(roomKey(room)))
      case "held thought":
        return after.thought !== null
      case "min minutes between posts":
        return [...sends, ...(begun && after.thought === null ? [begun] : [])].some(
          (moment) => timeline.least(moment) < gapMs,
        )
      case "eagerness":
        return settings.eagerness < 100
      case "budget":
        return true
    }
  }

  const watched = (rules: InitiativeRules): InitiativeRules => ({
    ...rules,
    tick(given, situation, settings, now) {
      const result = rules.tick(given, situation, settings, now)
      const key = communityKey(given)
      unstored.delete(key)
      if (given.underWay !== null) broken("every look ends", `${key} waits for a look that is over`)
      const { verdict } = result
      noteSameFailure(given, result.state)
      if (verdict.go !== "nothing") {
        noteDue(key)
      } else {
        due.delete(key)
        const { gate, reason } = verdict.refusal
        if (!isJust(gate, key, result.state, situation))
          broken("each community has its turn", `${key} was refused without a reason: ${gate}: ${reason}`)
      }
      return result
    },
    refuse(state, refusal, at) {
      due.delete(communityKey(state))
      return rules.refuse(state, refusal, at)
    },
    begin(state, kind, now) {
      const key = communityKey(state)
      if (kind === "fresh") known(key).begun = timeline.moment()
      // The gates were asked a moment ago, and a slow disk may lie between.
      const isQuiet = isQuietAt(now.at, text()) && isQuietAt(now.at - minuteMs, text())
      if (isQuiet) broken("nothing is said in quiet hours", `${key} is looked at`)
      return rules.begin(state, kind, now)
    },
    conclude(state, answer, settings, look) {
      const result = rules.conclude(state, answer, settings, look)
      const key = communityKey(state)
      known(key).failures = 0
      const thought = result.say?.thought ?? result.state.thought
      if (thought) thoughtOf(thought.id)
      if (result.say) {
        concluded.add(result.say.key)
        known(key).posting = timeline.moment()
      }
      return result
    },
    delivered(state, key, delivery, reason, at) {
      return counted(state, rules.delivered(state, key, delivery, reason, at))
    },
    recover(state, found, at) {
      return counted(state, rules.recover(state, found, at))
    },
    fail(state, reason, at) {
      const one = known(communityKey(state))
      one.failures += 1
      one.failedAt = timeline.moment()
      one.fresh = one.fresh.filter(({ run }) => run !== state.underWay?.id)
      const changed = rules.fail(state, reason, at)
      one.failed.set(failureOf(changed.state), one.failedAt)
      return changed
    },
  })

  /** A failure, or the end of one, that the disk did not take is not known any more after a restart. */
  function knowWhatIsStored(stored: readonly CommunityState[]): void {
    for (const [key, one] of communities) {
      const state = stored.find((other) => communityKey(other) === key)
      one.failures = state?.failures ?? 0
      if (state) one.failedAt = one.failed.get(failureOf(state)) ?? one.failedAt
    }
  }

  /** A clock that was set back moves the end of a back-off; the failure is the same. */
  function noteSameFailure(before: CommunityState, after: CommunityState): void {
    const { failed } = known(communityKey(before))
    const moment = failed.get(failureOf(before))
    if (moment !== undefined) failed.set(failureOf(after), moment)
  }

  function counted(before: CommunityState, changed: CommunityChange): CommunityChange {
    const { sends } = known(communityKey(before))
    if (changed.state.posts.length > before.posts.length) sends.push(timeline.moment())
    return changed
  }

  /** Those that were due before come before. */
  function checkTurn(key: string): void {
    const order = [...due.keys()]
    for (const earlier of order.slice(0, Math.max(0, order.indexOf(key)))) {
      if (looking.has(earlier) || unstored.has(earlier) || storing.has(earlier)) continue
      const waiting = due.get(earlier)
      if (waiting === undefined) continue
      waiting.overtaken += 1
      if (waiting.overtaken > atOnce)
        broken("each community has its turn", `${earlier} was overtaken ${waiting.overtaken} times`)
    }
  }

  /** A model is asked. Gives what to call when that is over. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one list of checks reads best in one place
  function looked(
    rooms: Parameters<InitiatingNeeds["consider"]>[0],
    thought: Thought | null,
    run: string,
    calls: number,
  ) {
    const [first] = rooms
    if (first === undefined) {
      broken("only where it may", "a look without a channel")
      return () => {}
    }
    const key = communityKey(first.room)
    const one = known(key)
    const settings = text()
    if (!settings.enabled || settings.execution === "disabled") broken("only where it may", `${key} is off`)
    if (within(one.posts, dayMs, timeline.most) >= settings.max_posts_per_day)
      broken("posts per day", `${key} is looked at with ${one.posts.length} posts`)
    const rested = one.failedAt === null ? Number.POSITIVE_INFINITY : timeline.most(one.failedAt)
    if (one.failures > 0 && rested < backOffMs(1)) broken("a failing model is left alone", key)
    const id = thought?.id ?? run
    const sum = (callsFor.get(id) ?? 0) + calls
    callsFor.set(id, sum)
    if (thought === null) {
      checkGap(one, key)
      one.fresh.push({ run, at: one.begun ?? timeline.moment() })
    } else if (sum > mostCallsOfHeld) {
      broken("calls for a held thought", `${sum} for ${id}`)
    }
    looking.add(key)
    return () => looking.delete(key)
  }
  function checkGap({ fresh, posts }: Known, key: string): void {
    const gapMs = text().min_minutes_between_posts * minuteMs
    const last = [...fresh.map(({ at }) => at), ...posts].map((moment) => timeline.most(moment))
    if (last.some((ms) => ms < gapMs)) broken("minutes between posts", `${key} after ${Math.min(...last)} ms`)
  }

  return {
    violations,
    broken,
    watched,
    looked,
    /** Sees every step of every conversation. */
    watchedRooms:
      (reduce: Reduce): Reduce =>
      (state, event, settings) => {
        const result = reduce(state, event, settings)
        if (event.kind !== "say") return result
        for (const effect of result.effects)
          if (effect.kind === "send") checkSend(state, settings.policy, effect.key)
        return result
      },
    /** What a thought comes with is being made; its community is not looked at meanwhile. */
    making(key: string) {
      looking.add(key)
      return () => looking.delete(key)
    },
    /** A community has its turn: a call is taken for it. */
    hasTurn(key: string) {
      checkTurn(key)
      due.delete(key)
    },
    /** Something is handed to its room. */
    handed(key: string) {
      if (!concluded.has(key))
        broken("nothing is made up for after downtime", `${key} was not thought in this life`)
    },
    /** Something of ours can be read. */
    posted(room: string, key: string) {
      const id = key.slice(0, key.lastIndexOf("-"))
      if (!thoughts.has(id)) return
      const times = (said.get(id) ?? 0) + 1
      said.set(id, times)
      if (times > 1) broken("nothing is said twice", `${key}: ${times} times`)
      const community = room.split("/").slice(0, 2).join("/")
      const one = known(community)
      if (within(one.posts, dayMs, timeline.most) >= text().max_posts_per_day)
        broken("posts per day", `${key} in ${community}`)
      const gapMs = text().min_minutes_between_posts * minuteMs
      if (within(one.posts, gapMs, timeline.most) > 0)
        broken("minutes between posts", `${key} in ${community}`)
      one.posts.push(timeline.moment())
    },
    /** Something outside was made to fail: who waits for its turn may wait longer, and is still before those after it. */
    disturbed() {
      isDisturbed = true
      for (const waiting of due.values()) Object.assign(waiting, { overtaken: 0, ticks: 0 })
    },
    /** A community is being stored. Gives what to call when that is over. */
    stores(key: string) {
      storing.add(key)
      return () => storing.delete(key)
    },
    /** A community could not be stored: it waits for the next tick, and its place in the order stays. */
    notStored(key: string) {
      unstored.add(key)
    },
    /** All communities were looked at, and what could begin has begun. */
    ticked() {
      for (const [key, waiting] of due) {
        if (isDisturbed || looking.size >= atOnce || unstored.has(key)) waiting.ticks = 0
        else if (waiting.ticks > patience)
          broken("each community has its turn", `${key} was due ${waiting.ticks} times`)
      }
      isDisturbed = false
    },
    /** A life begins with what was stored. */
    begun(
      stored: readonly CommunityState[],
      now: readonly CommunityState[],
      journal: ThoughtMemory["journal"],
    ) {
      concluded = new Set()
      due = new Map()
      looking = new Set()
      unstored = new Set()
      storing = new Set()
      knowWhatIsStored(stored)
      // What was on its way when the program ended is looked for from here on.
      for (const state of now)
        if (state.thought?.postingAs) known(communityKey(state)).posting = timeline.moment()
      const there = new Set(now.flatMap(({ thought }) => (thought ? [thought.id] : [])))
      for (const { thought } of stored) {
        if (thought && !there.has(thought.id) && !hasEnded(thought.id, journal))
          broken("no thought is lost", `${thought.id} is gone after a restart`)
      }
    },
    /** Everything has come to rest. */
    atEnd(states: readonly CommunityState[], journal: ThoughtMemory["journal"]) {
      const there = new Set(states.flatMap(({ thought }) => (thought ? [thought.id] : [])))
      for (const { kind, data } of journal) {
        const id = String(data?.thought)
        if (kind === "thought.held" && !there.has(id) && !hasEnded(id, journal))
          broken("no thought is lost", `${id} was held and never ended`)
      }
      for (const state of states) {
        if (state.underWay !== null) broken("every look ends", `${communityKey(state)} at the end`)
        if (state.thought?.postingAs) broken("every look ends", `${state.thought.postingAs} is never settled`)
      }
    },
  }

  function checkSend(state: ConversationState, { startsTopics: begins }: RoomPolicy, key: string): void {
    const isBusy = state.active !== null || state.run !== null || state.waiting.length > 0
    if (isBusy) broken("never in an exchange", `${key} in ${roomKey(state.room)}`)
    if (!begins.allowed || state.isMuted) broken("only where it may", roomKey(state.room))
    checkLeaving(communityKey(state.room), key)
  }

  function checkLeaving(community: string, key: string): void {
    known(community).sends.push(timeline.moment())
    const thought = thoughts.get(key.slice(0, key.lastIndexOf("-")))
    if (isQuietAt(timeline.now(), text())) broken("nothing is said in quiet hours", key)
    if (thought && timeline.now() - thought.at.wall > thought.holdMs)
      broken("nothing is said after its time", `${key} after ${timeline.now() - thought.at.wall} ms`)
  }
}

const ends = new Set(["thought.posted", "thought.unconfirmed", "thought.dropped"])

function hasEnded(id: string, journal: ThoughtMemory["journal"]): boolean {
  return journal.some(({ kind, data }) => ends.has(kind) && data?.thought === id)
}

function failureOf({ failures, retryAt }: CommunityState): string {
  return `${failures} until ${retryAt}`
}

/** How long the model is left alone after so many failures in a row. */
function backOffMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(6 * hourMs, 5 * minuteMs * 2 ** (failures - 1))
}
