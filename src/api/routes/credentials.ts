import { Hono } from "hono"
import { resumePool } from "../../llm/limits/pool-state.ts"
import { poolOf } from "../../llm/limits/pools.ts"
import { accountIds } from "../../llm/signin/account-ids.ts"
import { appendEntry } from "../../storage/journal.ts"
import { schemaVersion } from "../answers/answer.ts"
import { type NotedAnswer, requests } from "../contract.ts"
import { bodyOf, byOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

/** Sign-ins and keys never pass here: whoever changed the file only tells the journal that they did. */
export function credentialRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.post("/noted", async (context) => {
    const { account, change } = await bodyOf(context, requests.noteCredential)
    const by = byOf(context, needs)
    const kind = `credential.${change}` as const
    const now = needs.clock.now()
    await needs.db.write(async (transaction) => {
      await appendEntry(transaction, { ...by, at: now, kind, subject: account })
      // What was stopped for a wrong key may be asked again with a new one.
      const ofModels = accountIds.find((one) => one === account)
      if (change === "saved" && ofModels !== undefined)
        await resumePool(transaction, needs.install, { pool: poolOf(ofModels), now }, by)
    })
    return context.json<NotedAnswer>({ schemaVersion, outcome: "noted" })
  })
  return routes
}
