import type { MiddlewareHandler } from "hono"
import { UserError } from "../base/errors.ts"
import { isAgent } from "../memory/model/agents/agents.ts"
import { discardRest } from "./body-limit.ts"
import type { AppNeeds } from "./needs.ts"

/** What an agent may call besides reading; only the user may call the rest. */
const allowed: ReadonlySet<string> = new Set([
  "/v1/memories",
  "/v1/memories/forget",
  "/v1/memories/tag",
  "/v1/memories/link",
  "/v1/memories/rate",
  // They record what a session was shown, so that it is shown once.
  "/v1/recall/turn",
  "/v1/recall/preview",
  // Only an MCP prompt calls it, and only the user starts prompts.
  "/v1/ambient/wake",
])

/** Editing itself allows agents only their own notes. */
const edited = /^\/v1\/memories\/[^/]+\/edit$/

/** Refuses agents what only the user may do: purge, undo, restore, import, settings of tending. */
export function refuseAgents({ clock }: Pick<AppNeeds, "clock">): MiddlewareHandler {
  return async (context, next) => {
    const { method, path, raw } = context.req
    const actor = context.req.header("x-reverie-actor") ?? ""
    if (method !== "GET" && isAgent({ actor }) && !allowed.has(path) && !edited.test(path)) {
      // A client that is still sending would not read the answer.
      if (raw.body && !raw.bodyUsed) await discardRest(raw.body.getReader(), clock)
      throw new UserError("refused", "Not done: only the user may do this, with `reverie` in a terminal.")
    }
    await next()
  }
}
