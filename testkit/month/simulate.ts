import { enqueue } from "../../src/activities/tend/control.ts"
import { gardenWorks } from "../../src/activities/tend/garden-works.ts"
import { scout } from "../../src/activities/tend/scout/scout.ts"
import { startTending } from "../../src/activities/tend/start-tending.ts"
import { type Cycle, listCycles } from "../../src/attention/cycles.ts"
import type { Scheduler } from "../../src/attention/scheduler.ts"
import { silentLog } from "../../src/base/log.ts"
import { newId } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"
import { openModels } from "../../src/llm/choice/models.ts"
import { runGarden } from "../../src/memory/garden/run-garden.ts"
import { newMemorySchema } from "../../src/memory/model/memory.ts"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { remember } from "../../src/memory/write/remember.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { createSourceReader } from "../../src/recall/choose/read-source.ts"
import type { Database } from "../../src/storage/database.ts"
import { appendEntry } from "../../src/storage/journal.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { createManualClock, until, withoutPauses, withRealTimers } from "../manual-clock.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { createSeededRandom } from "../seeded-random.ts"
import { homeOf } from "../worlds/tend-world.ts"
import { playAgent } from "./agent.ts"
import { liveMinute } from "./person.ts"
import { grantedWishes, type Planned, plannedOf, usesOf } from "./tables.ts"

const minuteMs = 60_000
const dayMs = 1440 * minuteMs
/** A Monday, midnight. */
const startedAt = Date.UTC(2026, 0, 5)
const install = "install_month"

/** What is wanted of a simulated month. */
export interface MonthPlan {
  server: ModelServer
  /** A folder of its own, removed by the caller. */
  folder: string
  url: string
  days: number
  seed: number
}

/** All that happened. */
export interface Month {
  cycles: Cycle[]
  /** When the person worked last, at each moment a cycle began. */
  beganWhileActive: number
  /** For each cycle that came because its moment had come: how late after the moment that was promised last, in ms. */
  wakeErrors: number[]
  /** For each wish that was granted: how much later than asked, in ms. */
  wishDelays: number[]
  /** Everything that was planned; due is what was so for a day. */
  planned: (Planned & { isDue: boolean })[]
  /** Days on which nobody did anything and nothing was due; and the tokens used on them. */
  idleDays: number
  idleTokens: number
  tokens: number
}

/** Lives through the days with a clock that is moved by hand, minute by minute, and a model that follows a script. */
export async function simulateMonth(plan: MonthPlan): Promise<Month> {
  const world = await openWorld(plan)
  const scheduler = await startTending(world.tending)
  const rest = () => until(() => scheduler.phase() === "resting")
  const seen: { promised: number; wakeErrors: number[] } = { promised: 0, wakeErrors: [] }
  const begun: { whileActive: number; last?: string } = { whileActive: 0 }
  const busyDays = new Set<number>()
  try {
    for (let minute = 0; minute < plan.days * 1440; minute += 1) {
      const knownActive = world.user.lastAt
      await world.clock.advance(minuteMs, rest)
      const now = world.clock.now()
      const life = liveMinute(now, startedAt, world.random)
      if (life.isWorking) {
        world.user.lastAt = now
        busyDays.add(dayOf(now))
      }
      await world.live(life)
      await rest()
      noteBegun(await listCycles(world.db, install, 3), scheduler, seen, begun, knownActive)
    }
    const { wakeErrors } = seen
    return await report(world, { busyDays, wakeErrors, beganWhileActive: begun.whileActive })
  } finally {
    await scheduler.stop()
    await world.db.close()
  }
}

function dayOf(ms: number): number {
  return Math.floor((ms - startedAt) / dayMs)
}

/** Compares a cycle that has just begun with the moment that was promised, and with what the person was doing. */
function noteBegun(
  newest: Cycle[],
  scheduler: Scheduler,
  seen: { promised: number; wakeErrors: number[] },
  begun: { whileActive: number; last?: string },
  activeAt: number | null,
): void {
  const [last] = newest
  if (last && last.id !== begun.last) {
    begun.last = last.id
    const isTimed = last.trigger === "wish" || last.trigger === "ceiling" || last.trigger === "queue"
    if (isTimed && seen.promised > 0) seen.wakeErrors.push(last.startedAt - seen.promised)
    if (activeAt !== null && last.startedAt - activeAt < 10 * minuteMs) begun.whileActive += 1
  }
  const wake = scheduler.last()
  seen.promised = wake?.outcome === "wait" ? wake.until : 0
}

type World = Awaited<ReturnType<typeof openWorld>>

async function openWorld({ server, folder, url, seed }: MonthPlan) {
  const clock = createManualClock(startedAt)
  const random = createSeededRandom(seed)
  const db: Database = await openDatabase({
    url,
    file: "",
    clock: withRealTimers(clock),
    random,
    log: silentLog,
  })
  const config = configSchema.parse({
    models: { provider: "local", local_url: `${server.url}/v1`, local_model: "gardener" },
    extraction: { enabled: false },
  })
  const env = readEnvironment({ REVERIE_HOME: folder, HOME: folder })
  const screen = openScreen({ clock }, config.privacy)
  const projects = createProjectFinder({ clock })
  const common = { db, clock, random, config, log: silentLog, install, screen, projects, embedder: undefined }
  const models = openModels({
    ...common,
    clock: withoutPauses(clock),
    env,
    paths: pathsFor(env),
    fetch,
    redact: screen.redactSync,
  })
  const user: { lastAt: number | null } = { lastAt: null }
  const by = () => ({ operation: newId(random, "op"), actor: "user" })
  playAgent(server, random)
  let told = 0
  return {
    ...common,
    user,
    tending: {
      ...common,
      models,
      garden: (pass: Parameters<typeof runGarden>[2]) =>
        runGarden({ db }, gardenWorks({ ...common, models }), pass),
      sourceReader: createSourceReader(db),
      excluded: async () => ({ excluded: new Set<string>(), unseen: new Set<string>() }),
      scout: (since: number | null, unseen: ReadonlySet<string>) => scout(common, since, unseen),
      lastUserAt: async () => user.lastAt,
      ...homeOf(),
    },
    async live({ closes, contradicts, plans }: ReturnType<typeof liveMinute>) {
      const now = clock.now()
      if (closes) {
        const kind = `session.${closes}` as const
        await db.write((transaction) =>
          appendEntry(transaction, { ...by(), at: now, kind, subject: `codex:${now}` }),
        )
      }
      if (plans !== undefined) {
        const context = `something planned at ${now}`
        const item = { dueAt: now + plans * minuteMs, priority: "normal" as const, context }
        await enqueue(common, { ...item, project: null, createdBy: "user" }, by())
      }
      if (!contradicts) return
      told += 1
      const say = (port: number, source: "user-stated" | "inferred") =>
        remember(
          common,
          newMemorySchema.parse({ content: `Server ${told} listens on port ${port}`, source }),
          by(),
        )
      await say(8000 + told, "user-stated")
      await say(9000 + told, "inferred")
    },
  }
}

interface Seen {
  busyDays: Set<number>
  wakeErrors: number[]
  beganWhileActive: number
}

async function report({ db, clock }: World, { busyDays, ...seen }: Seen): Promise<Month> {
  const now = clock.now()
  const planned = await plannedOf(db)
  for (const { dueAt, endedAt } of planned)
    for (let day = dayOf(dueAt); day <= dayOf(endedAt ?? now); day += 1) busyDays.add(day)
  const uses = await usesOf(db)
  const sum = (some: typeof uses) => some.reduce((total, { tokens }) => total + tokens, 0)
  const days = Array.from({ length: dayOf(now) }, (_, day) => day)
  return {
    ...seen,
    cycles: (await listCycles(db, install, 100_000)).toReversed(),
    wishDelays: (await grantedWishes(db)).map(({ wish, came }) => came - wish),
    // What became due in the last hours may still wait for its turn.
    planned: planned.map((one) => ({ ...one, isDue: one.dueAt < now - dayMs })),
    idleDays: days.filter((day) => !busyDays.has(day)).length,
    idleTokens: sum(uses.filter(({ at }) => !busyDays.has(dayOf(at)))),
    tokens: sum(uses),
  }
}
