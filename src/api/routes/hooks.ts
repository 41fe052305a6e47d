import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { z } from "zod"
import { messageOf, UserError } from "../../base/errors.ts"
import { answerHook, dialectFor, type RecallForHooks } from "../../coding/hooks/answer-hook.ts"
import { answerFailure } from "../answer.ts"
import { bodyOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

/** More than any tool hands its hooks, short of a file dump that is not worth the time. */
const largestBytes = 32_000_000

interface HookNeeds extends Pick<AppNeeds, "log"> {
  recall?: RecallForHooks | undefined
}

/** What coding agents tell their hooks. The answer is what the hook has to print, often nothing. */
export function hookRoutes(needs: HookNeeds): Hono {
  const routes = new Hono()
  const tooLarge = new UserError("usage", "Hooks hand over 32 MB at most.")
  routes.use(
    bodyLimit({ maxSize: largestBytes, onError: (context) => answerFailure(context, tooLarge, needs.log) }),
  )
  routes.post("/:tool/:event", async (context) => {
    const { tool, event } = context.req.param()
    const dialect = dialectFor(tool, event)
    if (dialect === undefined)
      throw new UserError("not-found", `No hook ${event} of ${tool} is answered here.`)
    const input = await bodyOf(context, z.unknown())
    if (needs.recall === undefined) return context.body(null, 204)
    try {
      const answer = await answerHook(needs.recall, dialect, event, input)
      return answer === undefined ? context.body(null, 204) : context.json(answer)
    } catch (error) {
      // Some tools show a hook's failure to the user, who has nothing to do with it.
      needs.log.warn("A hook could not be answered", { tool, event, reason: messageOf(error) })
      return context.body(null, 204)
    }
  })
  return routes
}
