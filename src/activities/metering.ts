import { yieldToEventLoop } from "../base/clock.ts"
import { codeOf, messageOf } from "../base/errors.ts"
import { startLoop } from "../base/loop.ts"
import { newId } from "../base/random.ts"
import { positionOf, putPosition } from "../coding/reading/read-positions.ts"
import { readTail } from "../coding/reading/tail.ts"
import type { AnyMeter, DatabaseMeter, Meter, Usage } from "../coding/usage/meter.ts"
import { recordUserCalls } from "../llm/ledger.ts"
import { saveReadings } from "../llm/limits/store.ts"
import type { InstallCore } from "../storage/core.ts"
import { appendEntry } from "../storage/journal.ts"

export interface MeterCore extends InstallCore {
  meters: readonly AnyMeter[]
}

/** How often to read, and how far back the first run goes. */
const everyMs = 60_000
const historyMs = 14 * 86_400_000

/** Records the model usage of the user's own tools from their files. Returns how to stop. */
export function startMetering(needs: MeterCore): () => Promise<void> {
  const work = async (signal: AbortSignal) => {
    await meterOnce(needs, () => signal.aborted)
    return everyMs
  }
  return startLoop(needs, { work, problem: "Reading the usage of your tools failed", retryMs: everyMs }).stop
}

/** Reads everything new, once. */
export async function meterOnce(needs: MeterCore, isStopped = () => false): Promise<void> {
  const since = needs.clock.now() - historyMs
  const failed = (error: unknown) => {
    // A file may vanish between finding and reading it.
    if (codeOf(error) !== "ENOENT")
      needs.log.warn("A transcript cannot be read", { reason: messageOf(error) })
  }
  for (const meter of needs.meters) {
    if (isStopped()) return
    if ("sweep" in meter) {
      await sweep(needs, meter, since).catch(failed)
      continue
    }
    for (const file of await meter.files(since)) {
      if (isStopped()) return
      await readFile(needs, meter, file, since, isStopped).catch(failed)
    }
  }
}

async function sweep(needs: MeterCore, meter: DatabaseMeter, since: number): Promise<void> {
  const from = await lastPosition(needs, meter, meter.file)
  const swept = await meter.sweep(Math.max(from.position, since))
  if (swept === undefined || swept.position === from.position) return
  const read = { file: meter.file, position: swept.position, state: null, found: [swept.found], since }
  await saveUsage(needs, meter, read)
}

async function readFile(
  needs: MeterCore,
  meter: Meter,
  file: string,
  since: number,
  isStopped: () => boolean,
): Promise<void> {
  const from = await lastPosition(needs, meter, file)
  const reader = meter.reader(file, from.state)
  let { position } = from
  for (let more = true; more && !isStopped(); ) {
    const tail = await readTail(file, position)
    if (tail.position === position) return
    const found = tail.lines.map((line) => reader.line(line))
    position = tail.position
    more = tail.more
    await saveUsage(needs, meter, { file, position, state: reader.state(), found, since })
    await yieldToEventLoop()
  }
}

async function lastPosition(needs: MeterCore, meter: AnyMeter, file: string) {
  const known = await positionOf(needs.db, { install: needs.install, reader: readerOf(meter), file })
  const state: unknown = known ? JSON.parse(known.state) : undefined
  return { position: known?.position ?? 0, state }
}

function readerOf({ tool }: AnyMeter): string {
  return `usage/${tool}`
}

interface UsageRead {
  file: string
  position: number
  state: unknown
  found: Usage[]
  since: number
}

/** Saves usage and position in one transaction, so that nothing is counted twice or lost. */
async function saveUsage(
  needs: MeterCore,
  meter: AnyMeter,
  { file, position, state, found, since }: UsageRead,
): Promise<void> {
  const at = needs.clock.now()
  const calls = found.flatMap((one) => one.calls).filter((call) => call.at >= since)
  const readings = newestOf(found.flatMap((one) => one.readings)).filter((reading) => reading.at >= since)
  await needs.db.write(async (transaction) => {
    const added = await recordUserCalls(transaction, needs.install, calls)
    const learned = readings.map((reading) => ({ ...reading, learnedFrom: "transcript" as const }))
    const kept = await saveReadings(transaction, needs.install, learned)
    const where = { install: needs.install, reader: readerOf(meter), file, at }
    await putPosition(transaction, where, { position, state: JSON.stringify(state) })
    if (added + kept === 0) return
    const by = { operation: newId(needs.random, "op"), actor: "daemon" }
    const data = { calls: added, readings: kept }
    await appendEntry(transaction, { ...by, at, kind: "usage.metered", subject: meter.tool, data })
  })
}

/** Drops readings that equal the one before. */
function newestOf<T extends { pool: string; window: string; used: number; at: number }>(readings: T[]): T[] {
  const last = new Map<string, T>()
  return readings.filter((reading) => {
    const key = `${reading.pool} ${reading.window}`
    const before = last.get(key)
    last.set(key, reading)
    return before?.used !== reading.used
  })
}
