import type { Core } from "../../../storage/core.ts"
import { type By, readJournal } from "../../../storage/journal.ts"
import { sql } from "../../../storage/sql.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import { confidenceAfterAgent, isAgent } from "../../model/agents/agents.ts"
import type { ratings } from "../../model/kinds.ts"
import { type Memory, normalizeDetails } from "../../model/memory.ts"
import { requireMemory } from "../../model/store/browse.ts"
import { promotedKind, promotionBy } from "../compare/quarantine.ts"
import { type ChangeResult, changed, runOperation } from "./operation.ts"

type Rating = (typeof ratings)[number]

/** Rates a memory: its confidence rises or falls. */
export function rateMemory(needs: Core, id: string, rating: Rating, by: By): Promise<ChangeResult> {
  return runOperation(
    needs,
    by,
    { kinds: ["memory.rated", promotedKind], about: [id] },
    async (transaction, at) => {
      const before = await requireMemory(transaction, id)
      if (isAgent(by) && (await hasRated(transaction, before, by))) return {}
      const after = changed(before, at, {
        accessCount: before.accessCount + 1,
        accessedAt: at,
        ...verdict(before, rating, at, by),
        details: normalizeDetails({ ...before.details, [rating]: (before.details[rating] ?? 0) + 1 }),
      })
      const promotion = rating === "helpful" ? promotionBy(by, after, at) : []
      return { memories: [{ kind: "memory.rated", before, after }, ...promotion] }
    },
  )
}

/** Whether the agent's session rated it before; each session counts once. */
async function hasRated(transaction: Transaction, { id }: Memory, { agent }: By): Promise<boolean> {
  if (agent === undefined) return false
  const prefix = `${agent.session}-`
  const where = sql`substr(operation, 1, ${prefix.length}) = ${prefix}`
  return (await readJournal(transaction, { subject: id, kind: "memory.rated", where, limit: 1 })).length > 0
}

function verdict(memory: Memory, rating: Rating, at: number, by: By): Partial<Memory> {
  const { strength, confidence } = memory
  const lower = rounded(Math.max(0, confidence - 0.1))
  if (rating === "unhelpful") return { confidence: isAgent(by) ? confidenceAfterAgent(memory, lower) : lower }
  return {
    strength: strength + 1,
    confidence: rounded(Math.min(1, confidence + 0.05)),
    verifiedAt: at,
  }
}

/** Removes the rounding errors of sums of decimal fractions. */
function rounded(value: number): number {
  return Math.round(value * 1e9) / 1e9
}
