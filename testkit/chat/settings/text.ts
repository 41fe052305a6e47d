import { newCommunity } from "../../../src/chat/initiative/community.ts"
import { begin, conclude } from "../../../src/chat/initiative/consider.ts"
import { initiativeSettings } from "../../../src/chat/initiative/settings.ts"
import { tick } from "../../../src/chat/initiative/tick.ts"
import { sqliteDatabase } from "../../setup/databases.ts"
import { openInitiateWorld, thinks } from "../../worlds/initiate-world.ts"
import { askedModel } from "./asked-model.ts"
import { configWith, type Sections, type Turn } from "./turn.ts"

const room = { platform: "p", community: "c", channel: "hall", thread: null }
const situation = { channels: [room], busy: new Set<string>(), mark: null }
const minute = 60_000
const hour = 60 * minute
/** Four in the morning, UTC. */
const at = 100 * hour

/** Which gate refuses, an hour after it last looked and spoke once; "fresh" where none does. */
const gate =
  (base: Record<string, unknown> = {}) =>
  (given: Sections) => {
    const open = { eagerness: 100, min_minutes_between_posts: 30, time_zone: "UTC", ...base }
    const { initiative } = configWith({ text: open }, given).chat
    const earlier = { consideredAt: at - hour, postedAt: at - hour, posts: [at - hour] }
    const settings = initiativeSettings(initiative, "p/c")
    const { verdict } = tick({ ...newCommunity(room), ...earlier }, situation, settings, { at, chance: 0.5 })
    return verdict.go === "nothing" ? verdict.refusal.gate : verdict.go
  }

/** Whether a thought is still there two hours after it was first kept. */
function isHeldOn(given: Sections): boolean {
  const settings = initiativeSettings(configWith({ text: { eagerness: 100 } }, given).chat.initiative, "p/c")
  const begun = begin(newCommunity(room), "fresh", { id: "t", at }).state
  const answer = { action: "hold", room, replyTo: null, text: "A draft.", media: null, reason: "" } as const
  const held = conclude(begun, answer, settings, { at, calls: 1, mark: null }).state
  return tick(held, situation, settings, { at: at + 2 * hour, chance: 0.5 }).state.thought !== null
}

/** A look at a hall in which eight things were said, with a model that takes these turns before it drops it. */
async function look({ text, discovery }: Sections, turns: object[] = []) {
  const opened = await openInitiateWorld(sqliteDatabase(), { text: text ?? {}, discovery: discovery ?? {} })
  const { server, world, pass, told } = opened
  server.script([...(turns as Parameters<typeof server.script>[0]), thinks("drop")])
  for (let count = 1; count <= 8; count += 1) world.say(`word ${count}`)
  await world.rests()
  await pass(1)
  const requests = server.requests.map(({ asked }) => ({
    tools: asked.tools.map(({ name }) => name),
    prompt: JSON.stringify(asked.messages),
  }))
  return { requests, allowed: await told("tool.allowed") }
}

async function shownMessages(given: Sections): Promise<number> {
  const [first] = (await look(given)).requests
  return new Set(first?.prompt.match(/word \d/g)).size
}

const firstTools = async (given: Sections) => (await look(given)).requests[0]?.tools

const memory = { name: "memory_search", input: { query: "ferns" } }

/** Whether it has to answer after one turn with a tool. */
async function mustAnswer(given: Sections): Promise<boolean | undefined> {
  const { requests } = await look(given, [{ calls: [memory] }])
  return requests.at(-1)?.prompt.includes("Your budget for tools is used up")
}

async function callsDone(given: Sections): Promise<number> {
  return (await look(given, [{ calls: [memory, memory, memory] }])).allowed.length
}

/** How often a model was asked in the first minute. */
async function asksInOneMinute({ text }: Sections): Promise<number> {
  const { server, world, pass } = await openInitiateWorld(sqliteDatabase(), { text: text ?? {} })
  if (text?.tick_seconds === 30) server.script([thinks("drop")])
  world.say("hm")
  await world.rests()
  await pass(1)
  return server.requests.length
}

/** Whether a model that says nothing is given up within ten seconds. */
async function isGivenUp({ text }: Sections): Promise<boolean> {
  const { server, world, told } = await openInitiateWorld(sqliteDatabase(), { text: text ?? {} })
  server.script([{ hang: true }])
  world.say("hm")
  await world.rests()
  await world.clock.advance(minute)
  await server.received(1)
  await world.clock.advance(10_000)
  if (text?.timeout_seconds === 5) await world.rests()
  return (await told("thought.failed")).length > 0
}

const quiet = { quiet_start: "03:00", quiet_end: "05:00" }
const dedicated = (given: Sections) => askedModel({ execution: "dedicated", ...given.text })

/** Every setting of `[chat.initiative.text]`, turned. */
export const textTurns: readonly Turn[] = [
  ["text.enabled", gate(), [true, "fresh"], [false, "enabled"]],
  ["text.execution", gate(), ["inherit", "fresh"], ["disabled", "enabled"]],
  ["text.model", dedicated, ["", "talker"], ["local/thinker", "thinker"]],
  ["text.eagerness", gate(), [100, "fresh"], [20, "eagerness"]],
  ["text.min_minutes_between_posts", gate(), [60, "fresh"], [61, "min minutes between posts"]],
  ["text.max_posts_per_day", gate(), [2, "fresh"], [1, "max posts per day"]],
  ["text.lookback_messages", shownMessages, [4, 4], [7, 7]],
  [
    "text.allow_active_curiosity",
    async (given) => (await firstTools(given))?.includes("web_scrape"),
    [true, true],
    [false, false],
  ],
  ["text.max_tool_steps", mustAnswer, [1, true], [2, false]],
  ["text.max_tool_calls", callsDone, [1, 1], [3, 3]],
  ["text.tick_seconds", asksInOneMinute, [30, 1], [90, 0]],
  ["text.timeout_seconds", isGivenUp, [5, true], [60, false]],
  ["text.hold_hours", isHeldOn, [6, true], [2, false]],
  ["text.quiet_start", gate({ quiet_end: "05:00" }), ["", "fresh"], ["03:00", "quiet hours"]],
  ["text.quiet_end", gate({ quiet_start: "03:00" }), ["03:30", "fresh"], ["05:00", "quiet hours"]],
  ["text.time_zone", gate(quiet), ["UTC", "quiet hours"], ["Asia/Tokyo", "fresh"]],
  ["text.time_zones", gate(quiet), [[], "quiet hours"], [["p/c=Asia/Tokyo"], "fresh"]],
]
