import { Hono } from "hono"
import { z } from "zod"
import { messageOf, UserError } from "../../base/errors.ts"
import { answerHook, dialectFor, type RecallForHooks } from "../../coding/hooks/answer-hook.ts"
import { bodyOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

interface HookNeeds extends Pick<AppNeeds, "log" | "onSessionEnd" | "onHookCall"> {
  recall: RecallForHooks
}

/** Calls of coding agents' hooks. The answer is what the hook prints, often nothing. */
export function hookRoutes(needs: HookNeeds): Hono {
  const routes = new Hono()
  routes.post("/:tool/:event", async (context) => {
    const { tool, event } = context.req.param()
    const dialect = dialectFor(tool, event)
    if (dialect === undefined) throw new UserError("not-found", `Reverie has no hook ${event} for ${tool}.`)
    needs.onHookCall?.(tool)
    const input = await bodyOf(context, z.unknown())
    try {
      const answer = await answerHook(needs, dialect, event, input)
      return answer === undefined ? context.body(null, 204) : context.json(answer)
    } catch (error) {
      // Some tools show a failing hook to the user, who cannot fix it.
      needs.log.warn("A hook could not be answered", { tool, event, reason: messageOf(error) })
      return context.body(null, 204)
    }
  })
  return routes
}
