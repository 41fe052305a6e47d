import type { Job } from "../llm/choice/catalog.ts"
import type { HeldBack } from "../llm/choice/models.ts"
import { poolOf } from "../llm/limits/pools.ts"
import { holdsOnCall } from "./budget/decide.ts"
import { type BudgetStatusNeeds, budgetStatus } from "./budget-status.ts"

/** The jobs whose calls are made one by one, beside the cycles that the budget plans. */
const budgeted: readonly Job[] = ["judge", "extraction"]

/**
 * The budget's word on single calls: judge and extraction draw on the same allowance as cycles and leave the user the
 * same share of it. A server of the user's own costs nothing, so nothing holds it back.
 */
export function createCallBudget(needs: BudgetStatusNeeds): HeldBack {
  return async (job, { access, model }, cause) => {
    const pool = poolOf(access)
    if (cause === "test" || pool === "local" || !budgeted.includes(job)) return undefined
    const { decision } = await budgetStatus(needs, pool, model)
    const [hold] = holdsOnCall(decision, cause === "asked")
    return hold?.reason
  }
}
