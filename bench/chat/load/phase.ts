import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as wait } from "node:timers/promises"
import { systemClock } from "../../../src/base/clock.ts"
import { silentLog } from "../../../src/base/log.ts"
import { systemRandom } from "../../../src/base/random.ts"
import { type Reduce, reduce } from "../../../src/chat/conversation/reduce.ts"
import { roomKey } from "../../../src/chat/conversation/state.ts"
import { readDecision } from "../../../src/chat/silence/decision.ts"
import { openChatStore } from "../../../src/chat/supervisor/store.ts"
import { openSupervisor } from "../../../src/chat/supervisor/supervisor.ts"
import type { Think } from "../../../src/chat/supervisor/think.ts"
import { configSchema } from "../../../src/config/schema.ts"
import { openDatabase } from "../../../src/storage/open-database.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"
import { createLoadRooms } from "./rooms.ts"

export interface PhasePlan {
  url: string
  channels: number
  messagesPerSecond: number
  seconds: number
  /** Which share of the messages mention us. */
  mentions: number
  /** How many batches may be looked at at once. */
  places: number
  /** How long after the first message of a room its batch is due. */
  intervalSeconds: number
  /** The address of the model. */
  model: string
}

/** What one load showed. Times in milliseconds. */
export interface Measured {
  messages: number
  cpuMs: number
  rssBefore: number
  rssAfter: number
  loopP99: number
  loopMax: number
  /** How long after its time each batch was asked for, from its deadline to the model being called. */
  late: number[]
  batches: number
  /** From a mention to the first byte of its answer, without the time that the model took. */
  answers: number[]
  unanswered: number
  journalEntries: number
  saves: number
}

/** Puts the real supervisor on a real store under load, in real time. */
export async function measurePhase(plan: PhasePlan): Promise<Measured> {
  const { channels, seconds } = plan
  const needs = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...needs, url: plan.url, file: "" })
  const store = openChatStore({ db, random: systemRandom })
  const counts = { saves: 0, entries: 0, batches: 0 }
  const due = new Map<string, number>()
  const modelTime = new Map<string, number>()
  const late: number[] = []
  const rooms = createLoadRooms(channels)
  const watching: Reduce = (state, event, settings) => {
    const result = reduce(state, event, settings)
    for (const effect of result.effects) {
      if (effect.kind === "start-run" && effect.run.kind === "batch" && state.flushAt !== null)
        due.set(`${roomKey(state.room)} ${effect.run.id}`, state.flushAt)
    }
    return result
  }
  const think: Think = async ({ kind, id, room, messages }, signal) => {
    const began = performance.now()
    if (kind === "batch") {
      counts.batches += 1
      const planned = due.get(`${roomKey(room)} ${id}`)
      if (planned !== undefined) late.push(Math.max(0, systemClock.now() - planned))
    }
    const names = messages.map((one) => one.id).join(" ")
    const answer = kind === "batch" ? "[NO_REPLY]" : names
    const raw = await (await fetch(plan.model, { method: "POST", body: answer, signal })).text()
    if (kind !== "batch") for (const one of messages) modelTime.set(one.id, performance.now() - began)
    return { outcome: "decided", decision: readDecision(raw), usd: 0.0001 }
  }
  const { chat } = configSchema.parse({
    chat: {
      ambient: {
        ...{ enabled: true, max_concurrent_flushes: plan.places, cooldown_seconds: 0 },
        flush_interval_seconds: plan.intervalSeconds,
        pool: { max_sessions: 10_000 },
      },
      attention: { max_concurrent_answers: 40 },
      policy: { ambient_channels: ["*"], calls_per_day: 1_000_000, usd_per_day: 10_000 },
    },
  })
  const supervisor = await openSupervisor({
    ...{ ...needs, chat, think, reduce: watching, instructions: () => null, channels: [rooms.channel] },
    store: {
      ...store,
      async save(saves) {
        counts.saves += 1
        counts.entries += saves.reduce((sum, { entries }) => sum + entries.length, 0)
        await store.save(saves)
      },
    },
  })
  await supervisor.start()
  // Every room exists before anything is measured.
  for (let number = 0; number < channels; number += 1) rooms.enter(number)
  await supervisor.settled()
  Object.assign(counts, { saves: 0, entries: 0 })
  globalThis.gc?.()
  const rssBefore = process.memoryUsage.rss()
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const cpu = process.cpuUsage()
  const asked = new Map<string, number>()
  const wanted = Math.round(plan.messagesPerSecond * seconds)
  const began = performance.now()
  const random = createSeededRandom(1)
  for (let said = 0; said < wanted; ) {
    const goal = Math.min(wanted, ((performance.now() - began) / 1000) * plan.messagesPerSecond)
    for (; said < goal; said += 1) {
      const number = Math.floor(random.next() * channels)
      const isMention = plan.mentions > 0 && said % Math.round(1 / plan.mentions) === 0
      const id = rooms.say(number, isMention)
      if (isMention) asked.set(id, performance.now())
    }
    await wait(5)
  }
  if (wanted === 0) await wait(seconds * 1000)
  const used = process.cpuUsage(cpu)
  delay.disable()
  const rssAfter = process.memoryUsage.rss()
  // Answers that are on their way may come.
  if (asked.size > 0) await wait(4000)
  const answers = [...asked].flatMap(([id, at]) => {
    const answered = rooms.answeredAt.get(id)
    return answered === undefined ? [] : [answered - at - (modelTime.get(id) ?? 0)]
  })
  await supervisor.stop()
  await db.close()
  return {
    ...{ messages: wanted, cpuMs: (used.user + used.system) / 1000, rssBefore, rssAfter },
    ...{
      loopP99: delay.percentile(99) / 1e6,
      loopMax: delay.max / 1e6,
      late,
      batches: counts.batches,
      answers,
    },
    unanswered: asked.size - answers.length,
    ...{ journalEntries: counts.entries, saves: counts.saves },
  }
}
