import type { Context, Hono } from "hono"
import type { z } from "zod"
import type { By } from "../storage/journal.ts"
import { schemaVersion } from "./answers/answer.ts"
import type { Answers } from "./contract/answers.ts"
import { type CallName, callOf } from "./contract/calls.ts"
import { requests } from "./contract/requests.ts"
import { bodyOf, byOf, queryOf } from "./input.ts"
import type { AppNeeds } from "./needs.ts"

/** One request as its route sees it, beside what is asked. */
interface Call {
  /** The id in the path, where it has one. */
  id: string
  /** Under which operation the request acts. */
  by(): By
  context: Context
}

/** What is asked with a call, checked; undefined where it takes nothing. */
export type CheckedRequest<Name extends CallName> = Name extends keyof typeof requests
  ? z.output<(typeof requests)[Name]>
  : undefined

/** Says how a call is answered. */
export type On = <Name extends CallName>(
  name: Name,
  answer: (asked: CheckedRequest<Name>, call: Call) => Promise<Answers[Name]> | Answers[Name],
) => void

/** Adds routes to an app: each checks what is asked and tells the version of the answer's form. */
export function answering(app: Hono, needs: AppNeeds): On {
  return (name, answer) => {
    const { method, path } = callOf(name)
    const schema: z.ZodType | undefined = Object.entries(requests).find(([one]) => one === name)?.[1]
    const read = method === "GET" ? queryOf : bodyOf
    app.on(method, `/v1${path}`, async (context) => {
      const asked = schema && (await read(context, schema))
      const call = { id: context.req.param("id") ?? "", by: () => byOf(context, needs), context }
      const told = await answer(asked as CheckedRequest<typeof name>, call)
      return context.json({ schemaVersion, ...told })
    })
  }
}
