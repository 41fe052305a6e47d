import { createServer } from "node:http"
import { type Bench, type Figure, median, percentile } from "../../shared/figures.ts"
import { sqliteStores } from "../../shared/stores.ts"
import { type Measured, measurePhase, type PhasePlan } from "./phase.ts"

const modelMs = 2000
/** A batch that is asked for so long after its time still counts as on time. */
const onTimeMs = 500

/** One process in a thousand rooms: what it costs, and whether everybody gets their answer in time. */
export async function runLoad(bench: Bench, isQuick: boolean): Promise<Figure[]> {
  const model = await slowModel(bench)
  const stores = sqliteStores(bench)
  const measure = async (plan: Partial<PhasePlan>) => {
    const { url } = await stores.create()
    return measurePhase({
      ...{ url, model, channels: 1000, messagesPerSecond: 200, seconds: isQuick ? 10 : 30 },
      ...{ mentions: 0, places: 100, intervalSeconds: 60 },
      ...plan,
    })
  }
  bench.say("1,000 channels, enough places")
  const roomy = await measure(isQuick ? { channels: 300, intervalSeconds: 10, seconds: 15 } : { seconds: 95 })
  bench.say("1,000 channels, batches saturated, mentions")
  const full = await measure({ places: 3, mentions: 0.02, intervalSeconds: 5 })
  const growth: Record<number, { perMessage: number; perIdle: number }> = {}
  for (const channels of [10, 100, 1000]) {
    bench.say(`what a message costs in ${channels} channels`)
    growth[channels] = await costIn(channels, measure, isQuick)
  }
  return [...figuresOf(roomy, full), ...growthFigures(growth)]
}

async function costIn(
  channels: number,
  measure: (plan: Partial<PhasePlan>) => Promise<Measured>,
  isQuick: boolean,
) {
  const seconds = isQuick ? 4 : 10
  const times = isQuick ? 1 : 3
  const busy: number[] = []
  const idle: number[] = []
  for (let time = 0; time < times; time += 1) {
    const { cpuMs, messages } = await measure({ channels, seconds, intervalSeconds: 3600 })
    busy.push(cpuMs / messages)
    const rest = await measure({ channels, seconds: 3, messagesPerSecond: 0, intervalSeconds: 3600 })
    idle.push(rest.cpuMs / 3 / channels)
  }
  return { perMessage: median(busy), perIdle: median(idle) }
}

/** A real server on a real port that takes two seconds for everything. */
async function slowModel(bench: Bench): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    setTimeout(() => response.end(Buffer.concat(chunks)), modelMs)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  bench.atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
}

function figuresOf(roomy: Measured, full: Measured): Figure[] {
  const low = (id: string, value: number, unit: string): Figure => ({ id, value, unit, better: "lower" })
  const high = (id: string, value: number, unit: string): Figure => ({ id, value, unit, better: "higher" })
  const onTime = roomy.late.filter((ms) => ms <= onTimeMs).length / Math.max(1, roomy.late.length)
  const seconds = roomy.messages / 200
  return [
    low("load.memory-growth", (roomy.rssAfter - roomy.rssBefore) / 1e6, "MB"),
    low("load.loop-delay.p99", roomy.loopP99, "ms"),
    high("load.batches", roomy.batches, ""),
    high("load.batches-on-time", 100 * onTime, `% within ${onTimeMs} ms`),
    ...shares("load.batch-late", roomy.late, [0.5, 0.95, 0.99]),
    low("load.cpu", (100 * roomy.cpuMs) / (seconds * 1000), "% of one core"),
    high("load.journal-entries", roomy.journalEntries / seconds, "per s"),
    low("load.transactions", roomy.saves / seconds, "per s"),
    high("saturated.mentions-answered", full.answers.length, ""),
    low("saturated.mentions-unanswered", full.unanswered, ""),
    ...shares("saturated.mention-to-post", full.answers, [0.5, 0.95, 0.99]),
    low("saturated.loop-delay.p99", full.loopP99, "ms"),
    low("saturated.memory-growth", (full.rssAfter - full.rssBefore) / 1e6, "MB"),
  ]
}

function shares(id: string, values: readonly number[], of: readonly number[]): Figure[] {
  if (values.length === 0) return []
  return of.map((share) => ({
    ...{ id: `${id}.p${Math.round(share * 100)}`, value: percentile(values, share), unit: "ms" },
    better: "lower",
  }))
}

function growthFigures(growth: Record<number, { perMessage: number; perIdle: number }>): Figure[] {
  const figures = Object.entries(growth).flatMap(([channels, { perMessage, perIdle }]): Figure[] => [
    { id: `cost.${channels}.message`, value: perMessage, unit: "ms CPU", better: "lower" },
    { id: `cost.${channels}.idle-channel`, value: 1000 * perIdle, unit: "µs CPU per s", better: "lower" },
  ])
  const [few, many] = [growth[10], growth[1000]]
  const ratio = few && many ? many.perMessage / few.perMessage : Number.NaN
  return [...figures, { id: "cost.growth-10-to-1000", value: ratio, unit: "times", better: "lower" }]
}
