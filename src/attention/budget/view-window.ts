import type { LimitReading } from "../../llm/limits/limit-reading.ts"
import { ambientUse } from "./ambient-use.ts"
import { usedSince } from "./project-user.ts"
import { createSum } from "./sum-between.ts"
import { isSameWindow } from "./units-per-token.ts"
import type { Use, WindowView } from "./view.ts"

/** The stored data of one window: the provider's readings, and the tokens of the user and of Reverie. */
export interface WindowRecords {
  /** Oldest first. Repeated readings may be left out, except the last. */
  readings: readonly LimitReading[]
  /** In tokens, or in calls for a window that counts requests; oldest first. */
  userSpends: readonly Use[]
  ambientSpends: readonly Use[]
  cycleTokens: readonly number[]
  /** Units of the window per token; undefined until known. */
  perToken: number | undefined
  knownSince: number
}

/** The length of windows whose provider does not report it. */
const shortestMs = 60_000
/** Use that the ledger did not see counts only above these shares of the capacity and of own use: less may be rounding. */
const unseenDoubt = { capacity: 0.01, ownUse: 0.25 }

/** A window as the budget's rules see it; undefined without a reading. */
export function viewWindow(records: WindowRecords, now: number): WindowView | undefined {
  const { readings, userSpends, ambientSpends, cycleTokens, perToken, knownSince } = records
  const last = readings.at(-1)
  if (last === undefined) return undefined
  const lengthMs = last.lengthMs ?? shortestMs
  const resetsAt = last.resetsAt ?? last.at + lengthMs
  const price = perToken ?? 0
  const since = usedSince(userSpends, last.at) + usedSince(ambientSpends, last.at)
  const beganAt = resetsAt > now ? resetsAt - lengthMs : Math.max(resetsAt, now - lengthMs)
  const tokens = { user: usedSince(userSpends, beganAt), ambient: usedSince(ambientSpends, beganAt) }
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
    ambientUsed: ambientUse({ used, capacity: last.capacity }, tokens, perToken),
    cycleCosts: perToken === undefined ? [] : cycleTokens.map((spent) => spent * perToken),
  }
}

/** The user's use in units: their tokens, and the use that the ledger did not see. */
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
  let own = 0
  let userAt = readings[0]?.at ?? 0
  for (const [index, reading] of readings.entries()) {
    const before = readings[index - 1]
    if (before === undefined) continue
    const users = byUser(before.at, reading.at) * price
    const owns = byAmbient(before.at, reading.at) * price
    if (users > 0 || owns === 0) userAt = reading.at
    own += owns
    const doubt = price === 0 ? 0 : unseenDoubt.capacity * reading.capacity + unseenDoubt.ownUse * own
    excess = Math.max(-doubt, excess + increase(before, reading) - users - owns)
    if (excess <= doubt) continue
    // Our own calls may reveal use of hours ago: it is dated to the user's last activity.
    unseen.push({ at: userAt, amount: excess })
    excess = 0
    own = 0
  }
  return unseen
}

function increase(before: LimitReading, reading: LimitReading): number {
  return isSameWindow(before, reading) ? reading.used - before.used : reading.used
}
