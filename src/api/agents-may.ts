import type { MiddlewareHandler } from "hono"
import { UserError } from "../base/errors.ts"
import { isAgent } from "../memory/model/agents/agents.ts"
import { dropRest } from "./body-limit.ts"
import type { AppNeeds } from "./needs.ts"

/** What an agent may ask for beside reading; everything else is the person's own. */
const allowed: ReadonlySet<string> = new Set([
  "/v1/memories",
  "/v1/memories/forget",
  "/v1/memories/tag",
  "/v1/memories/link",
  "/v1/memories/rate",
  // What a session is told is noted as told, so that it is told once.
  "/v1/recall/turn",
  "/v1/recall/preview",
  // Only a prompt asks for it, and prompts are the person's to choose.
  "/v1/ambient/wake",
])

/** Their own notes, which editing sees to. */
const edited = /^\/v1\/memories\/[^/]+\/edit$/

/** Refuses what only the person may do to whoever acts as an agent: purge, undo, restore, import, settings of tending. */
export function refuseAgents({ clock }: Pick<AppNeeds, "clock">): MiddlewareHandler {
  return async (context, next) => {
    const { method, path, raw } = context.req
    const actor = context.req.header("x-reverie-actor") ?? ""
    if (method !== "GET" && isAgent({ actor }) && !allowed.has(path) && !edited.test(path)) {
      // Whoever still sends would not hear the answer.
      if (raw.body && !raw.bodyUsed) await dropRest(raw.body.getReader(), clock)
      throw new UserError("refused", "Not done: only the person may do this, with `reverie` in a terminal.")
    }
    await next()
  }
}
