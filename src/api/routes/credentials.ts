import { resumePool } from "../../llm/limits/pool-state.ts"
import { poolOf } from "../../llm/limits/pools.ts"
import { accountIds } from "../../llm/signin/account-ids.ts"
import { appendEntry } from "../../storage/journal.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** Sign-ins and keys never pass here: whoever changed the file only tells the journal that they did. */
export function credentialRoutes(on: On, needs: AppNeeds): void {
  on("noteCredential", async ({ account, change }, call) => {
    const by = call.by()
    const kind = `credential.${change}` as const
    const now = needs.clock.now()
    await needs.db.write(async (transaction) => {
      await appendEntry(transaction, { ...by, at: now, kind, subject: account })
      // What was stopped for a wrong key may be asked again with a new one.
      const ofModels = accountIds.find((one) => one === account)
      if (change === "saved" && ofModels !== undefined)
        await resumePool(transaction, needs.install, { pool: poolOf(ofModels), now }, by)
    })
    return { outcome: "noted" }
  })
}
