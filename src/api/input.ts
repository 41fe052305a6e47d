import type { Context } from "hono"
import type { z } from "zod"
import { messageOf, UserError } from "../base/errors.ts"
import { newId } from "../base/random.ts"
import { describeInvalidInput } from "../base/text/invalid-input.ts"
import { parseJson } from "../base/text/json.ts"
import { isAgentSession } from "../memory/model/agents/agent-session.ts"
import { isAgent } from "../memory/model/agents/agents.ts"
import type { InstallCore } from "../storage/core.ts"
import type { By } from "../storage/journal.ts"
import { sessionHeader } from "./contract/calls.ts"
import type { AppNeeds } from "./needs.ts"

/** The session of all agents that name none. */
const namelessSession = "mcp_nameless"

/** The JSON body of a request, checked. */
export async function bodyOf<T extends z.ZodType>(context: Context, schema: T): Promise<z.output<T>> {
  let body: unknown
  try {
    body = parseJson(await context.req.text())
  } catch (error) {
    // A body that is too long also ends up here; that error has its own answer.
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
  throw new UserError("usage", describeInvalidInput(parsed.error, value))
}

/** The daemon's part of the needs; throws where no daemon runs. */
export function requireDaemon({ daemon }: AppNeeds): NonNullable<AppNeeds["daemon"]> {
  if (daemon !== undefined) return daemon
  throw new UserError("not-running", "The daemon is not running; `reverie start` starts it.")
}

/** The operation and actor of a request. The client may send its own operation id, so that it can safely retry. */
export function byOf(context: Context, needs: InstallCore): By {
  const requested = context.req.header("x-reverie-operation")
  const actor = context.req.header("x-reverie-actor") ?? "api"
  if (!/^[a-z][a-z-]{0,30}$/.test(actor)) {
    throw new UserError("usage", "x-reverie-actor must be a short word in small letters.")
  }
  if (requested !== undefined && !/^op_[0-9a-z]{8,40}$/.test(requested)) {
    throw new UserError("usage", "x-reverie-operation must look like op_ and at least 8 letters and digits.")
  }
  const operation = requested ?? newId(needs.random, "op")
  if (!isAgent({ actor })) return { operation, actor }
  const session = context.req.header(sessionHeader) ?? namelessSession
  if (!isAgentSession(session))
    throw new UserError("usage", `${sessionHeader} must look like mcp_ and at least 8 letters and digits.`)
  const agent = { session, install: needs.install, lossLimit: needs.config.memory.losses_per_session }
  return { operation: `${session}-${operation.slice("op_".length)}`, actor, agent }
}
