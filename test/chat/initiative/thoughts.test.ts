import { expect, test } from "vitest"
import { type CommunityState, newCommunity } from "../../../src/chat/initiative/community.ts"
import { begin, conclude, delivered, fail, recover } from "../../../src/chat/initiative/consider.ts"
import { initiativeSettings } from "../../../src/chat/initiative/settings.ts"
import { maxCallsPerThought, type ThoughtAnswer } from "../../../src/chat/initiative/thought.ts"
import { type CommunitySituation, refuse, tick } from "../../../src/chat/initiative/tick.ts"
import { configSchema } from "../../../src/config/schema.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"

const minute = 60_000
const hour = 60 * minute
const noon = Date.UTC(2026, 0, 1, 12)
const news = { platform: "discord", community: "garden", channel: "news", thread: null }
const there: CommunitySituation = { channels: [news], busy: new Set(), mark: null }

function settingsWith(text: Record<string, unknown> = {}, community = "discord/garden") {
  const { initiative } = configSchema.parse({ chat: { initiative: { text } } }).chat
  return initiativeSettings(initiative, community)
}

const hold: ThoughtAnswer = {
  action: "hold",
  room: news,
  replyTo: null,
  text: "A draft.",
  media: { kind: "image", prompt: "a fern" },
  reason: "Nobody is here.",
}

/** One community, with a clock that is moved by hand and a model that gives the same answer each time. */
function live(text: Record<string, unknown> = {}, answer: ThoughtAnswer = hold) {
  let state: CommunityState = newCommunity({ platform: "discord", community: "garden" })
  let at = noon
  let calls = 0
  const random = createSeededRandom(7)
  const settings = settingsWith(text)
  const told: { kind: string; reason: string; data?: Record<string, unknown> | undefined }[] = []
  const keep = <T extends { state: CommunityState; entries: typeof told }>(changed: T): T => {
    state = JSON.parse(JSON.stringify(changed.state))
    told.push(...changed.entries)
    return changed
  }
  const look = (situation = there) =>
    keep(tick(state, situation, settings, { at, chance: random.next() })).verdict
  return {
    told,
    state: () => state,
    set: (next: CommunityState) => {
      state = next
    },
    settings,
    calls: () => calls,
    now: () => at,
    wait(ms: number) {
      at += ms
    },
    look,
    keep,
    /** Looks once, and asks the model where that is due. */
    turn(situation = there, given = answer) {
      const verdict = look(situation)
      if (verdict.go === "nothing") return verdict.refusal.gate
      keep(begin(state, verdict.go, { id: `t${told.length}`, at }))
      calls += 1
      const { say } = keep(conclude(state, given, settings, { at, calls: 1, mark: situation.mark }))
      return say ?? verdict.go
    },
  }
}

const at100 = { eagerness: 100 }
const post: ThoughtAnswer = { ...hold, action: "post" }

test("each gate refuses in its order, and the journal is told once for each reason", () => {
  expect(live({ ...at100, enabled: false }).turn()).toBe("enabled")
  expect(live({ ...at100, execution: "disabled" }).turn()).toBe("enabled")
  expect(live(at100).turn({ ...there, channels: [] })).toBe("channels")
  expect(live({ ...at100, max_posts_per_day: 0 }).turn()).toBe("max posts per day")
  expect(live({ ...at100, quiet_start: "11:00", quiet_end: "13:00", time_zone: "UTC" }).turn()).toBe(
    "quiet hours",
  )
  expect(live(at100).turn({ ...there, busy: new Set(["discord/garden/news"]) })).toBe("conversation")
  expect(live({ eagerness: 0 }).turn()).toBe("eagerness")
  const quiet = live({ eagerness: 0 })
  for (let times = 0; times < 50; times += 1) {
    quiet.look()
    quiet.wait(minute)
  }
  expect(quiet.told).toHaveLength(1)
  expect(quiet.state().refusal).toMatchObject({ gate: "eagerness", times: 50 })
  quiet.look({ ...there, channels: [] })
  expect(quiet.told[1]).toMatchObject({
    kind: "thought.refused",
    data: { gate: "channels", before: { gate: "eagerness", times: 50 } },
  })
})

test("the budget has the last word, and what was waited for is not lost", () => {
  const one = live(at100)
  expect(one.look()).toEqual({ go: "fresh" })
  one.keep(refuse(one.state(), { gate: "budget", reason: "The user needs it." }, one.now()))
  one.wait(minute)
  expect(one.look()).toEqual({ go: "fresh" })
  expect(one.told).toMatchObject([{ kind: "thought.refused", data: { gate: "budget" } }])
})

test("quiet hours are those of the community's own time zone", () => {
  const text = {
    ...{ ...at100, quiet_start: "22:00", quiet_end: "07:00", time_zone: "UTC" },
    time_zones: ["discord/garden=Asia/Tokyo"],
  }
  // Noon in UTC is 21:00 in Tokyo.
  expect(settingsWith(text).afterQuiet(noon)).toBe(noon)
  expect(settingsWith(text).afterQuiet(noon + hour)).toBe(noon + 10 * hour)
  expect(settingsWith(text, "discord/other").afterQuiet(noon + hour)).toBe(noon + hour)
})

test("after a look, whatever came of it, the community is left alone for min_minutes_between_posts", () => {
  for (const gap of [30, 600]) {
    const one = live({ ...at100, min_minutes_between_posts: gap }, { action: "drop", reason: "nothing" })
    expect(one.turn()).toBe("fresh")
    one.wait(gap * minute - 1)
    expect(one.turn()).toBe("min minutes between posts")
    one.wait(1)
    expect(one.turn()).toBe("fresh")
  }
})

test("a held thought too waits min_minutes_between_posts after a post, also where they became more meanwhile", () => {
  const one = live({ ...at100, min_minutes_between_posts: 1 })
  one.turn(there, hold)
  const long = settingsWith({ ...at100, min_minutes_between_posts: 180 })
  one.set({ ...one.state(), postedAt: noon - minute })
  const lookAfter = (ms: number) => tick(one.state(), there, long, { at: noon + ms, chance: 0.5 }).verdict
  expect(lookAfter(178 * minute)).toMatchObject({ refusal: { gate: "min minutes between posts" } })
  // Its own beginning does not keep it waiting, only what was said.
  expect(lookAfter(179 * minute)).toEqual({ go: "revisit" })
})

test("within 24 hours no more is said than max_posts_per_day", () => {
  for (const most of [1, 3]) {
    const one = live({ ...at100, min_minutes_between_posts: 1, max_posts_per_day: most }, post)
    const posts: number[] = []
    for (let minutes = 0; minutes < 3 * 1440; minutes += 1) {
      const came = one.turn()
      if (typeof came === "object") {
        one.keep(delivered(one.state(), came.key, { outcome: "posted", posts: ["p"] }, "", one.now()))
        posts.push(one.now())
      }
      one.wait(minute)
    }
    expect(posts).toHaveLength(3 * most)
    for (const since of posts)
      expect(posts.filter((at) => at >= since && at < since + 24 * hour).length).toBeLessThanOrEqual(most)
  }
})

test("eagerness is a rate: the mean wait does not depend on how often anybody looks", () => {
  for (const [eagerness, meanHours] of [
    [20, 4],
    [50, 1],
  ] as const) {
    for (const tickMs of [10_000, minute, 9 * minute]) {
      const random = createSeededRandom(eagerness + tickMs)
      const settings = settingsWith({ eagerness, min_minutes_between_posts: 1 })
      let state = newCommunity({ platform: "discord", community: "garden" })
      let at = noon
      let waits = 0
      let waited = 0
      let since = at
      while (waits < 1500) {
        const ticked = tick(state, there, settings, { at, chance: random.next() })
        state = ticked.state
        if (ticked.verdict.go === "fresh") {
          waited += at - since
          waits += 1
          state = begin(state, "fresh", { id: "t", at }).state
          state = conclude(state, { action: "drop", reason: "" }, settings, {
            at,
            calls: 1,
            mark: null,
          }).state
          since = at + minute
        }
        at += tickMs
      }
      const mean = waited / waits / hour
      // A tick may come up to its own length late.
      expect(mean).toBeGreaterThan(meanHours * 0.93)
      expect(mean).toBeLessThan(meanHours * 1.07 + tickMs / hour)
    }
  }
})

test("nothing is made up for after the machine was away", () => {
  const one = live({ eagerness: 50, min_minutes_between_posts: 1 })
  one.look()
  const before = one.state().waiting
  one.wait(72 * hour)
  one.look()
  expect(one.state().waiting).toEqual(before)
})

test("a held thought is looked at when the room changed or after longer and longer rests, at most six calls in all", () => {
  const busy = live({ ...at100, hold_hours: 6 })
  expect(busy.turn()).toBe("fresh")
  expect(busy.state().thought).toMatchObject({
    text: "A draft.",
    media: { kind: "image" },
    revision: 1,
    calls: 1,
  })
  const asked: number[] = []
  for (let minutes = 1; minutes <= 48 * 60; minutes += 1) {
    busy.wait(minute)
    if (busy.state().thought && busy.turn({ ...there, mark: `m${minutes}` }) === "revisit")
      asked.push(minutes)
  }
  expect(asked.slice(0, 4)).toEqual([5, 15, 35, 75])
  expect(busy.calls()).toBeLessThanOrEqual(maxCallsPerThought)
  expect(busy.told.at(-1)).toMatchObject({ kind: "thought.dropped" })
  const quiet = live(at100)
  quiet.turn()
  quiet.wait(19 * minute)
  expect(quiet.turn()).toBe("held thought")
  quiet.wait(minute)
  expect(quiet.turn()).toBe("revisit")
})

test("a held thought ends hold_hours after it was first thought, however often it is kept", () => {
  for (const hours of [1, 3]) {
    const one = live({ ...at100, hold_hours: hours })
    one.turn()
    const { expiresAt } = one.state().thought ?? { expiresAt: 0 }
    expect(expiresAt).toBe(noon + hours * hour)
    one.wait(30 * minute)
    one.turn({ ...there, mark: "m1" })
    expect(one.state().thought?.expiresAt).toBe(expiresAt)
    one.wait(hours * hour - 30 * minute)
    one.turn()
    expect(one.told.map(({ reason }) => reason)).toContain("It expired (chat.initiative.text.hold_hours).")
  }
})

test("a held thought is refined, sent elsewhere, dropped or said, and blocks nothing once it is gone", () => {
  const one = live({ ...at100, min_minutes_between_posts: 1, hold_hours: 48 })
  one.turn()
  one.wait(3 * hour)
  one.turn(there, { ...hold, text: "A better draft.", media: null })
  expect(one.told.at(-1)?.data).toMatchObject({ change: "refined", revision: 2 })
  expect(one.state().thought?.media).toEqual({ kind: "image", prompt: "a fern" })
  one.wait(6 * hour)
  one.turn(there, { ...hold, text: "A better draft.", room: { ...news, channel: "hall" } })
  expect(one.told.at(-1)?.data).toMatchObject({ change: "redirected", revision: 3 })
  one.wait(12 * hour)
  expect(one.turn(there, { action: "drop", reason: "Too late." })).toBe("revisit")
  expect(one.state().thought).toBeNull()
  one.wait(minute)
  expect(one.turn()).toBe("fresh")
})

test("what is kept back is held on; what the platform refuses goes; what nobody knows counts as said", () => {
  const one = live(at100, post)
  const came = one.turn()
  const key = typeof came === "object" ? came.key : ""
  expect(one.turn()).toBe("under way")
  const posting = one.state()
  one.keep(delivered(posting, key, { outcome: "kept back", reason: "busy" }, "", one.now()))
  expect(one.state().thought).toMatchObject({ postingAs: null })
  expect(one.state().posts).toEqual([])
  one.keep(delivered(posting, key, { outcome: "refused", reason: "forbidden" }, "", one.now()))
  expect(one.state()).toMatchObject({ thought: null, posts: [] })
  one.keep(delivered(posting, key, { outcome: "unknown", reason: "cut" }, "", one.now()))
  expect(one.state()).toMatchObject({ thought: null, posts: [noon] })
})

test("after a restart what was being asked is missed, and what was being said is settled by its room", () => {
  const one = live(at100, post)
  one.look()
  one.keep(begin(one.state(), "fresh", { id: "t", at: noon }))
  one.keep(recover(one.state(), undefined, noon))
  expect(one.state()).toMatchObject({ underWay: null, thought: null, consideredAt: noon })
  const other = live(at100, post)
  other.turn()
  const posting = other.state()
  expect(recover(posting, { outcome: "posted", posts: ["p"] }, noon).state).toMatchObject({
    thought: null,
    posts: [noon],
  })
  expect(recover(posting, undefined, noon).state.thought).toMatchObject({ text: "A draft.", postingAs: null })
})

test("a model that fails is left alone, longer each time, and the chance is not lost", () => {
  const one = live(at100)
  const rests: number[] = []
  for (let times = 0; times < 12; times += 1) {
    expect(one.look()).toEqual({ go: "fresh" })
    one.keep(begin(one.state(), "fresh", { id: "t", at: one.now() }))
    one.keep(fail(one.state(), "down", one.now()))
    expect(one.turn()).toBe("back-off")
    rests.push((one.state().retryAt - one.now()) / minute)
    one.wait(one.state().retryAt - one.now())
  }
  expect(rests.slice(0, 4)).toEqual([5, 10, 20, 40])
  expect(Math.max(...rests)).toBe(360)
})

test("a clock that is set back stops nothing for longer than it should", () => {
  const one = live({ ...at100, min_minutes_between_posts: 10 }, post)
  const came = one.turn()
  if (typeof came === "object")
    one.keep(delivered(one.state(), came.key, { outcome: "posted", posts: [] }, "", one.now()))
  one.wait(-365 * 24 * hour)
  expect(one.turn()).toBe("min minutes between posts")
  one.wait(10 * minute)
  expect(typeof one.turn()).toBe("object")
})
