import { Hono } from "hono"
import { appendEntry } from "../../storage/journal.ts"
import { schemaVersion } from "../answer.ts"
import { type NotedAnswer, requests } from "../contract.ts"
import { bodyOf, byOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

/** Sign-ins and keys never pass here: whoever changed the file only tells the journal that they did. */
export function credentialRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.post("/noted", async (context) => {
    const { account, change } = await bodyOf(context, requests.noteCredential)
    const by = byOf(context, needs.random)
    const kind = `credential.${change}` as const
    await needs.db.write((transaction) =>
      appendEntry(transaction, { ...by, at: needs.clock.now(), kind, subject: account }),
    )
    return context.json<NotedAnswer>({ schemaVersion, outcome: "noted" })
  })
  return routes
}
