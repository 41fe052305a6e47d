import type { Context } from "hono"
import type { z } from "zod"
import { messageOf, UserError } from "../base/errors.ts"
import { newId } from "../base/random.ts"
import { parseJson } from "../base/text/json.ts"
import { wrongInput } from "../base/text/wrong-input.ts"
import { isAgentSession } from "../memory/model/agents/agent-session.ts"
import { isAgent } from "../memory/model/agents/agents.ts"
import type { InstallCore } from "../storage/core.ts"
import type { By } from "../storage/journal.ts"
import { sessionHeader } from "./session-header.ts"

/** Agents that name no session share one. */
const namelessSession = "mcp_nameless"

/** The JSON body of a request, checked. */
export async function bodyOf<T extends z.ZodType>(context: Context, schema: T): Promise<z.output<T>> {
  let body: unknown
  try {
    body = parseJson(await context.req.text())
  } catch (error) {
    // The middle of a body that is too long ends here too; that has its own answer.
    if (!(error instanceof SyntaxError)) throw error
    const sentence = `The body of the request cannot be used: ${messageOf(error)}.`
    throw new UserError("usage", sentence, { cause: error })
  }
  return check(schema, body)
}

/** The query string of a request, checked. */
export function queryOf<T extends z.ZodType>(context: Context, schema: T): z.output<T> {
  return check(schema, context.req.query())
}

function check<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new UserError("usage", wrongInput(parsed.error, value))
}

/** Under which operation a request acts: the client's own id if it gave one, so that it can safely ask again. */
export function byOf(context: Context, needs: InstallCore): By {
  const given = context.req.header("x-reverie-operation")
  const actor = context.req.header("x-reverie-actor") ?? "api"
  if (!/^[a-z][a-z-]{0,30}$/.test(actor)) {
    throw new UserError("usage", "x-reverie-actor must be a short word in small letters.")
  }
  if (given !== undefined && !/^op_[0-9a-z]{8,40}$/.test(given)) {
    throw new UserError("usage", "x-reverie-operation must look like op_ and at least 8 letters and digits.")
  }
  const operation = given ?? newId(needs.random, "op")
  if (!isAgent({ actor })) return { operation, actor }
  const session = context.req.header(sessionHeader) ?? namelessSession
  if (!isAgentSession(session))
    throw new UserError("usage", `${sessionHeader} must look like mcp_ and at least 8 letters and digits.`)
  const agent = { session, install: needs.install, lossLimit: needs.config.memory.losses_per_session }
  return { operation: `${session}-${operation.slice("op_".length)}`, actor, agent }
}
