import type { RoomRef } from "../channels/channel.ts"
import { type ChatStore, dayOf } from "./store.ts"

interface BudgetLimits {
  callsPerDay: number
  usdPerDay: number
}

const dayMs = 86_400_000

/** What each community may still cost today; opened with what was used already. */
export async function openChatBudget(
  { store, limits }: { store: ChatStore; limits: () => BudgetLimits },
  now: number,
) {
  // The day before counts on, should the clock be set back over midnight.
  const days = new Map<string, Map<string, { calls: number; microUsd: number }>>()
  for (const day of [dayOf(now - dayMs), dayOf(now)]) {
    const rows = await store.usageOf(day)
    days.set(day, new Map(rows.map(({ calls, microUsd, ...whose }) => [keyOf(whose), { calls, microUsd }])))
  }
  const usedBy = (room: RoomRef, at: number) => {
    const day = dayOf(at)
    const used = days.get(day) ?? new Map<string, { calls: number; microUsd: number }>()
    days.set(day, used)
    const [oldest] = [...days.keys()].sort()
    if (days.size > 3 && oldest !== undefined) days.delete(oldest)
    const key = keyOf(room)
    const use = used.get(key) ?? { calls: 0, microUsd: 0 }
    used.set(key, use)
    return use
  }
  return {
    /** Counts a call, or says why none may be made. */
    take(room: RoomRef, at: number): { outcome: "taken" } | { outcome: "refused"; reason: string } {
      const use = usedBy(room, at)
      const { callsPerDay, usdPerDay } = limits()
      if (use.calls >= callsPerDay) {
        return { outcome: "refused", reason: `This community's ${callsPerDay} calls of today are used up.` }
      }
      if (use.microUsd >= usdPerDay * 1e6 && use.microUsd > 0) {
        return { outcome: "refused", reason: `This community's ${usdPerDay} US dollars of today are spent.` }
      }
      use.calls += 1
      return { outcome: "taken" }
    },
    spend(room: RoomRef, at: number, usd: number): void {
      usedBy(room, at).microUsd += Math.round(usd * 1e6)
    },
  }
}
export type ChatBudget = Awaited<ReturnType<typeof openChatBudget>>

function keyOf({ platform, community }: Pick<RoomRef, "platform" | "community">): string {
  return JSON.stringify([platform, community])
}
