import type { ConsiderOutcome } from "../../../src/activities/initiate/consider-community.ts"
import { markOf } from "../../../src/activities/initiate/gather.ts"
import { type InitiativeHost, openInitiating } from "../../../src/activities/initiate/initiating.ts"
import { silentLog } from "../../../src/base/log.ts"
import type { Random } from "../../../src/base/random.ts"
import type { RoomRef } from "../../../src/chat/channels/channel.ts"
import { type ConversationState, newConversation, roomKey } from "../../../src/chat/conversation/state.ts"
import type { Config } from "../../../src/config/schema.ts"
import { createSimulationClock } from "../../../testkit/chat/simulation/clock.ts"
import { createThoughtMemory } from "../../../testkit/chat/thoughts/store.ts"
import {
  createDecisions,
  type Liveliness,
  type Moment,
  messagesUntil,
  newTally,
  type Tally,
} from "./decisions.ts"

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** How long the model takes for one look. */
const lookMs = 15_000

interface Options {
  days: number
  chat: Config["chat"]
  random: Random
}

/** The program's own cycle over made-up communities, minute by minute; posts arrive at once. */
export async function playOurs(communities: readonly Liveliness[], options: Options): Promise<Tally> {
  const { days, chat, random } = options
  const tally = newTally(communities)
  const decisions = createDecisions(random)
  const clock = createSimulationClock()
  const own = clock.live()
  const start = clock.now()
  const moments = new Map<string, Moment>()
  const callsFor = new Map<string, number>()
  const rooms = communities.map(
    ({ key }): RoomRef => ({
      ...{ platform: "bench", community: key, channel: "hall", thread: null },
    }),
  )
  const livelinessOf = new Map(communities.map((one) => [one.key, one]))
  let busy: ReadonlySet<string> = new Set()
  const world: InitiativeHost = {
    rooms: async () => rooms,
    load: async (room) => stateOf(room, livelinessOf.get(room.community), clock.now() - start),
    busy: () => busy,
    say(room, { key }) {
      const isBusy = busy.has(roomKey(room))
      if (!isBusy) tally.posts += 1
      const delivery = isBusy
        ? ({ outcome: "kept back", reason: "People talk with it." } as const)
        : ({ outcome: "posted", posts: [key] } as const)
      initiating.onOwnPost(room, key, delivery)
    },
    takeCall: async () => ({ outcome: "taken" }),
    spend: () => undefined,
  }
  const initiating = openInitiating({
    ...{ clock: own, random, log: silentLog, chat, host: world, store: createThoughtMemory() },
    budgetProblem: async () => undefined,
    async consider([first], { thought, run }) {
      await new Promise<void>((resolve) => own.after(lookMs, resolve))
      const at = clock.now()
      if (first === undefined) throw new Error("there is no room")
      const { community } = first.room
      const moment = thought ? moments.get(thought.id) : undefined
      const decided = moment ? decisions.revisit(moment, at) : decisions.fresh(at)
      const { action, calls } = decided
      tally.calls += calls
      const id = thought?.id ?? run
      callsFor.set(id, (callsFor.get(id) ?? 0) + calls)
      if (thought === null) tally.considered.set(community, (tally.considered.get(community) ?? 0) + 1)
      else {
        tally.heldCalls += calls
        tally.mostCalls = Math.max(tally.mostCalls, callsFor.get(id) ?? 0)
      }
      if (decided.moment) {
        tally.held += 1
        moments.set(run, decided.moment)
      }
      return outcomeOf(action, calls, first.room, markOf([first]))
    },
  })
  await initiating.open()
  for (let minute = 0; minute < days * (dayMs / minuteMs); minute += 1) {
    await clock.advance(minuteMs)
    if (minute % 10 === 0) {
      const now = communities.flatMap(({ busyShare }, index) => (random.next() < busyShare ? [index] : []))
      busy = new Set(now.flatMap((index) => (rooms[index] ? [roomKey(rooms[index])] : [])))
    }
    await initiating.tick()
  }
  return tally
}

function outcomeOf(
  action: "post" | "hold" | "drop" | "fail",
  calls: number,
  room: RoomRef,
  mark: string | null,
): ConsiderOutcome {
  const spent = { calls, usd: 0, tokens: { input: 0, output: 0 } }
  if (action === "fail") return { outcome: "failed", reason: "overloaded", ...spent }
  const answered = { outcome: "answered" as const, mark, sources: [], hasReadWeb: false, ...spent }
  if (action === "drop") return { ...answered, answer: { action, reason: "nothing" } }
  const kept = { room, replyTo: null, text: "Some words.", media: null, reason: "because" }
  return { ...answered, answer: { action, ...kept } }
}

/** A room of which only the newest message is known. */
function stateOf(room: RoomRef, one: Liveliness | undefined, sinceMs: number): ConversationState {
  const id = String(one ? messagesUntil(one, sinceMs) : 0)
  const author = { id: "ann", name: "ann", isBot: false }
  const line = { id, author, text: "hello", at: sinceMs, replyTo: null, isOurs: false, isVoice: false }
  return { ...newConversation(room), recent: [{ ...line, reactions: [] }] }
}
