import { expect, test } from "vitest"
import { openInitiating } from "../../../src/activities/initiate/initiating.ts"
import { silentLog } from "../../../src/base/log.ts"
import { roomKey } from "../../../src/chat/conversation/state.ts"
import { configSchema } from "../../../src/config/schema.ts"
import { createSimulationClock, ready } from "../../../testkit/chat/simulation/clock.ts"
import { createThoughtMemory } from "../../../testkit/chat/thoughts/store.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"

const room = (community: string) => ({ platform: "discord", community, channel: "news", thread: null })

/** Three communities that are due; those in `failing` cannot be stored, those in `busy` are talked with. */
function open() {
  const failing = new Set<string>()
  const busy = new Set<string>()
  const rooms = ["attic", "garden", "kitchen"].map(room)
  const looked: string[] = []
  const memory = createThoughtMemory()
  const clock = createSimulationClock()
  const initiating = openInitiating({
    ...{
      clock: clock.live(),
      random: createSeededRandom(1),
      log: silentLog,
      budgetProblem: async () => undefined,
    },
    chat: configSchema.parse({ chat: { initiative: { text: { eagerness: 100 } } } }).chat,
    store: {
      all: memory.all,
      async save(state, entries, at) {
        if (failing.has(state.community)) throw new Error("disk full")
        await memory.save(state, entries, at)
      },
    },
    host: {
      rooms: async () => rooms,
      load: async () => null,
      busy: () => new Set([...busy].map((community) => roomKey(room(community)))),
      say: () => undefined,
      takeCall: async () => ({ outcome: "taken" }),
      spend: () => undefined,
    },
    async consider([first]) {
      looked.push(first?.room.community ?? "")
      const spent = { calls: 1, usd: 0, tokens: { input: 0, output: 0 } }
      const answered = { outcome: "answered" as const, mark: null, sources: [], hasReadWeb: false }
      return { ...answered, ...spent, answer: { action: "drop", reason: "nothing" } }
    },
  })
  const tick = async () => {
    await initiating.tick()
    await ready()
    await initiating.settled()
  }
  const told = (community: string) =>
    memory.journal.filter((entry) => entry.community === `discord/${community}`).map(({ kind }) => kind)
  return { failing, busy, rooms, looked, initiating, tick, told }
}

test("a community that cannot be stored keeps no other from its turn", async () => {
  const { failing, busy, looked, tick } = open()
  failing.add("attic")
  busy.add("attic")
  await tick()
  expect(looked).toEqual(["garden", "kitchen"])
})

test("where it cannot be stored that a model is asked, none is, and the journal is told as soon as it can be", async () => {
  const { failing, looked, tick, told } = open()
  failing.add("attic")
  await tick()
  expect(looked).not.toContain("attic")
  expect(told("attic")).toEqual([])
  failing.clear()
  await tick()
  expect(told("attic")).toEqual(["thought.considered", "thought.failed", "thought.refused"])
  expect(looked).not.toContain("attic")
})

test("a community that loses its channels is told why nothing is thought about there", async () => {
  const { rooms, busy, initiating, tick, told } = open()
  busy.add("attic")
  await tick()
  rooms.shift()
  await tick()
  expect(told("attic")).toEqual(["thought.refused", "thought.refused"])
  expect(initiating.states()[0]?.refusal).toMatchObject({ gate: "channels" })
})
