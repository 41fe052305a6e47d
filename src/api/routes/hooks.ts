import { Hono } from "hono"
import { z } from "zod"
import { messageOf, UserError } from "../../base/errors.ts"
import { answerHook, dialectFor, type RecallForHooks } from "../../coding/hooks/answer-hook.ts"
import { bodyOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

interface HookNeeds extends Pick<AppNeeds, "log" | "onSessionEnd" | "onHookCall"> {
  recall?: RecallForHooks | undefined
}

/** What coding agents tell their hooks. The answer is what the hook has to print, often nothing. */
export function hookRoutes(needs: HookNeeds): Hono {
  const routes = new Hono()
  routes.post("/:tool/:event", async (context) => {
    const { tool, event } = context.req.param()
    const dialect = dialectFor(tool, event)
    if (dialect === undefined)
      throw new UserError("not-found", `No hook ${event} of ${tool} is answered here.`)
    needs.onHookCall?.(tool)
    const input = await bodyOf(context, z.unknown())
    if (needs.recall === undefined) return context.body(null, 204)
    try {
      const answer = await answerHook({ ...needs, recall: needs.recall }, dialect, event, input)
      return answer === undefined ? context.body(null, 204) : context.json(answer)
    } catch (error) {
      // Some tools show a hook's failure to the user, who has nothing to do with it.
      needs.log.warn("A hook could not be answered", { tool, event, reason: messageOf(error) })
      return context.body(null, 204)
    }
  })
  return routes
}
