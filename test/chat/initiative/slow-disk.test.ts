import { expect, test } from "vitest"
import { openInitiating } from "../../../src/activities/initiate/initiating.ts"
import { silentLog } from "../../../src/base/log.ts"
import { roomKey } from "../../../src/chat/conversation/state.ts"
import { configSchema } from "../../../src/config/schema.ts"
import { createSimulationClock, ready } from "../../../testkit/chat/simulation/clock.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"

const minute = 60_000
const room = (community: string) => ({ platform: "discord", community, channel: "news", thread: null })

test("quiet hours that begin while other communities are stored are kept", async () => {
  // It is noon; storing that people talk in the second community takes until after the quiet hours have begun.
  const text = { eagerness: 100, quiet_start: "12:01", quiet_end: "13:00", time_zone: "UTC" }
  const clock = createSimulationClock()
  const own = clock.live()
  let looks = 0
  const initiating = openInitiating({
    ...{ clock: own, random: createSeededRandom(1), log: silentLog, budgetProblem: async () => undefined },
    chat: configSchema.parse({ chat: { initiative: { text } } }).chat,
    store: {
      all: async () => [],
      save: () => new Promise((resolve) => own.after(2 * minute, resolve)),
    },
    host: {
      rooms: async () => [room("garden"), room("kitchen")],
      load: async () => null,
      busy: () => new Set([roomKey(room("kitchen"))]),
      say: () => undefined,
      takeCall: async () => ({ outcome: "taken" }),
      spend: () => undefined,
    },
    consider() {
      looks += 1
      return new Promise(() => {})
    },
  })
  const ticking = initiating.tick()
  await clock.advance(10 * minute)
  await ticking
  await ready()
  expect(looks).toBe(0)
  expect(initiating.states().map(({ community, refusal }) => [community, refusal?.gate])).toEqual([
    ["garden", "quiet hours"],
    ["kitchen", "conversation"],
  ])
})
