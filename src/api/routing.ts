import type { Context, Hono } from "hono"
import type { z } from "zod"
import type { By } from "../storage/journal.ts"
import { schemaVersion } from "./answers/answer.ts"
import type { Answers } from "./contract/answers.ts"
import { type CallName, callOf } from "./contract/calls.ts"
import { requests } from "./contract/requests.ts"
import { bodyOf, byOf, queryOf } from "./input.ts"
import type { AppNeeds } from "./needs.ts"

/** One request as its route sees it, besides its input. */
interface Call {
  /** The id in the path, if it has one. */
  id: string
  /** The operation and actor of the request. */
  by(): By
  context: Context
}

/** The checked input of a call; undefined for a call without input. */
export type CheckedRequest<Name extends CallName> = Name extends keyof typeof requests
  ? z.output<(typeof requests)[Name]>
  : undefined

/** Adds the route of a call. */
export type AddRoute = <Name extends CallName>(
  name: Name,
  answer: (asked: CheckedRequest<Name>, call: Call) => Promise<Answers[Name]> | Answers[Name],
) => void

/** Adds routes to an app. Each checks its input and adds the schema version to its answer. */
export function routeAdder(app: Hono, needs: AppNeeds): AddRoute {
  return (name, answer) => {
    const { method, path } = callOf(name)
    const schema: z.ZodType | undefined = Object.entries(requests).find(([one]) => one === name)?.[1]
    const read = method === "GET" ? queryOf : bodyOf
    app.on(method, `/v1${path}`, async (context) => {
      const asked = schema && (await read(context, schema))
      const call = { id: context.req.param("id") ?? "", by: () => byOf(context, needs), context }
      const result = await answer(asked as CheckedRequest<typeof name>, call)
      return context.json({ schemaVersion, ...result })
    })
  }
}
