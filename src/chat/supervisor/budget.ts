import type { RoomRef } from "../channels/channel.ts"
import { communityKey } from "../conversation/state.ts"
import { type ChatStore, dayOf } from "./store.ts"

const dayMs = 86_400_000

/** The daily limits of calls and cost for each community, with what was used already. */
export async function openChatBudget(
  { store, limits }: { store: ChatStore; limits: () => { callsPerDay: number; usdPerDay: number } },
  now: number,
) {
  // Yesterday is loaded too, in case the clock is set back over midnight.
  const days = new Map<string, Map<string, { calls: number; microUsd: number }>>()
  for (const day of [dayOf(now - dayMs), dayOf(now)]) {
    const rows = await store.usageOf(day)
    days.set(day, new Map(rows.map(({ calls, microUsd, ...of }) => [communityKey(of), { calls, microUsd }])))
  }
  const usedBy = (room: RoomRef, at: number) => {
    const day = dayOf(at)
    const used = days.get(day) ?? new Map<string, { calls: number; microUsd: number }>()
    days.set(day, used)
    const [oldest] = [...days.keys()].sort()
    if (days.size > 3 && oldest !== undefined) days.delete(oldest)
    const key = communityKey(room)
    const use = used.get(key) ?? { calls: 0, microUsd: 0 }
    used.set(key, use)
    return use
  }
  return {
    /** Counts a call, or refuses it. */
    take(room: RoomRef, at: number): { outcome: "taken" } | { outcome: "refused"; reason: string } {
      const use = usedBy(room, at)
      const { callsPerDay, usdPerDay } = limits()
      if (use.calls >= callsPerDay) {
        return {
          outcome: "refused",
          reason: `This community's limit of ${callsPerDay} calls a day is used up.`,
        }
      }
      if (use.microUsd >= usdPerDay * 1e6 && use.microUsd > 0) {
        return {
          outcome: "refused",
          reason: `This community's limit of ${usdPerDay} US dollars a day is used up.`,
        }
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
