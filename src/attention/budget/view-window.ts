import type { LimitReading } from "../../llm/limit-reading.ts"
import { usedSince } from "./project-user.ts"
import { splitUse } from "./split-use.ts"
import { createSum } from "./sum-between.ts"
import { isSameWindow } from "./units-per-token.ts"
import type { Use, WindowView } from "./view.ts"

/** What is stored about one window: the provider's readings, and the tokens of both sides in the ledger. */
export interface WindowRecords {
  /** All of one window, oldest first; those that tell nothing new may be left out, but not the last. */
  readings: readonly LimitReading[]
  /** In tokens (in calls, for a window that counts requests), oldest first. */
  userSpends: readonly Use[]
  ambientSpends: readonly Use[]
  cycleTokens: readonly number[]
  /** Units of the window that one token costs; undefined until it is known. */
  perToken: number | undefined
  knownSince: number
}

/** A minute: buckets whose provider does not tell their length are refilled about that often. */
const shortestMs = 60_000
/** Use that the ledger did not see is believed from this share of the capacity on; less may be an error of rounding. */
const unseenShare = 0.01

/** What the budget needs to know about a window, from what is stored; undefined if there is no reading. */
export function viewWindow(records: WindowRecords): WindowView | undefined {
  const { readings, userSpends, ambientSpends, cycleTokens, perToken, knownSince } = records
  const last = readings.at(-1)
  if (last === undefined) return undefined
  const lengthMs = last.lengthMs ?? shortestMs
  const resetsAt = last.resetsAt ?? last.at + lengthMs
  const price = perToken ?? 0
  const since = usedSince(userSpends, last.at) + usedSince(ambientSpends, last.at)
  const tokens = {
    user: usedSince(userSpends, resetsAt - lengthMs),
    ambient: usedSince(ambientSpends, resetsAt - lengthMs),
  }
  const used = last.used + since * price
  return {
    ...{
      id: last.window,
      unit: last.unit,
      capacity: last.capacity,
      used,
      resetsAt,
      lengthMs,
      readAt: last.at,
    },
    userUse: userUse(records),
    knownSince,
    ambientUsed: splitUse({ used, capacity: last.capacity }, tokens, perToken).ambient,
    cycleCosts: perToken === undefined ? [] : cycleTokens.map((spent) => spent * perToken),
  }
}

/** The user's use in units: their tokens, and whatever a window filled up with that the ledger does not know. */
function userUse(records: WindowRecords): Use[] {
  const price = records.perToken ?? 0
  const seen = records.userSpends.map(({ at, amount }) => ({ at, amount: amount * price }))
  return [...seen, ...unseenUse(records)].filter(({ amount }) => amount > 0).toSorted((a, b) => a.at - b.at)
}

function unseenUse({ readings, userSpends, ambientSpends, perToken }: WindowRecords): Use[] {
  const unseen: Use[] = []
  const price = perToken ?? 0
  const byUser = createSum(userSpends)
  const byAmbient = createSum(ambientSpends)
  let excess = 0
  for (const [index, reading] of readings.entries()) {
    const before = readings[index - 1]
    if (before === undefined) continue
    const seen = (byUser(before.at, reading.at) + byAmbient(before.at, reading.at)) * price
    const more = isSameWindow(before, reading) ? reading.used - before.used : reading.used
    const doubt = price === 0 ? 0 : unseenShare * reading.capacity
    excess = Math.max(-doubt, excess + more - seen)
    if (excess <= doubt) continue
    unseen.push({ at: reading.at, amount: excess })
    excess = 0
  }
  return unseen
}
