import type { By } from "../storage/journal.ts"
import { type ActNeeds, act, type Changed, changed } from "./act.ts"
import { requireMemory } from "./browse.ts"
import type { ratings } from "./kinds.ts"
import { type Memory, tidyDetails } from "./memory.ts"
import { promotedKind, promotionBy } from "./quarantine.ts"

type Rating = (typeof ratings)[number]

/** Notes whether a memory helped: it is believed more or less from now on. */
export function rateMemory(needs: ActNeeds, id: string, rating: Rating, by: By): Promise<Changed> {
  return act(needs, by, { kinds: ["memory.rated", promotedKind], about: [id] }, async (transaction, at) => {
    const before = await requireMemory(transaction, id)
    const after = changed(before, at, {
      accessCount: before.accessCount + 1,
      accessedAt: at,
      ...verdict(before, rating, at),
      details: tidyDetails({ ...before.details, [rating]: (before.details[rating] ?? 0) + 1 }),
    })
    const promotion = rating === "helpful" ? promotionBy(by, after, at) : []
    return { memories: [{ kind: "memory.rated", before, after }, ...promotion] }
  })
}

function verdict({ strength, confidence }: Memory, rating: Rating, at: number): Partial<Memory> {
  if (rating === "unhelpful") return { confidence: rounded(Math.max(0, confidence - 0.1)) }
  return {
    strength: strength + 1,
    confidence: rounded(Math.min(1, confidence + 0.05)),
    verifiedAt: at,
  }
}

/** Without the tails that sums of decimal fractions get. */
function rounded(value: number): number {
  return Math.round(value * 1e9) / 1e9
}
