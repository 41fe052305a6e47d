import { type Context, Hono } from "hono"
import { z } from "zod"
import type { Approvals, Refusal } from "../../safety/permission/approvals.ts"
import type { Decision } from "../../safety/permission/requests.ts"
import { decisionPage, pageHeaders, sentencePage } from "../answers/approve-page.ts"
import type { AppNeeds } from "../needs.ts"

const statuses = {
  unknown: 403,
  used: 410,
  expired: 410,
  conflict: 409,
  "too-many": 429,
  "not-asked": 403,
} as const
const longestBody = 20_000

/** The fields of the form, each at most once. */
const formSchema = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal("approve"), shown: z.string() }),
  z.strictObject({ decision: z.literal("deny"), shown: z.string(), text: z.string().max(2000).optional() }),
  z.strictObject({
    decision: z.literal("respond"),
    shown: z.string(),
    text: z.string().trim().min(1).max(2000),
  }),
])

/**
 * The page of an approval link. Opening it decides nothing, because mail scanners and previews open it too; only a form
 * sent from the page itself decides.
 */
export function approveRoutes(needs: AppNeeds & { approvals: Approvals }): Hono {
  const { approvals, clock } = needs
  const routes = new Hono()
  routes.get("/:token", async (context) => {
    const inspected = await approvals.inspect(context.req.param("token"))
    if (inspected.outcome === "refused") return refuse(context, inspected)
    return context.html(decisionPage(inspected.request, inspected.person, clock.now()), 200, {
      ...pageHeaders,
    })
  })
  routes.post("/:token", async (context) => {
    const token = context.req.param("token")
    if (!isFromOurPage(context)) return refuse(context, await approvals.reportMisuse(token, wrongPage))
    const form = await formOf(context)
    if (form === undefined) return refuse(context, await approvals.reportMisuse(token, wrongForm))
    const decision = await decisionOf(needs, form)
    const redeemed = await approvals.redeem(token, form.shown, decision)
    if (redeemed.outcome === "refused") return refuse(context, redeemed)
    return say(context, 200, titles[decision.kind], `${sentences[decision.kind]} (${redeemed.request.id})`)
  })
  return routes
}

const titles = { approve: "Approved", deny: "Denied", respond: "Answered" }
const sentences = {
  approve: "You approved it. It is done once, exactly as it was shown.",
  deny: "You denied it. It is not done.",
  respond: "The agent gets your answer. What it asked for is not done.",
}

const wrongPage = "Nothing was decided: open the link in your browser and decide on its page."
const wrongForm = "Nothing was decided: the form has no valid decision; open the link again."

/** Whether the form comes from our own page. `guardApp` has checked the origin itself. */
function isFromOurPage({ req }: Context): boolean {
  const site = req.header("sec-fetch-site")
  return req.header("origin") !== undefined && (site === undefined || site === "same-origin")
}

async function formOf(context: Context): Promise<z.infer<typeof formSchema> | undefined> {
  const type = (context.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") return undefined
  const text = await context.req.text()
  if (text.length > longestBody) return undefined
  const fields = [...new URLSearchParams(text)]
  const names = new Set(fields.map(([name]) => name))
  if (names.size !== fields.length) return undefined
  return formSchema.safeParse(Object.fromEntries(fields)).data
}

async function decisionOf({ screen }: AppNeeds, form: z.infer<typeof formSchema>): Promise<Decision> {
  if (form.decision === "approve") return { kind: "approve" }
  const text = form.text?.trim() ? await screen.redact(form.text.trim()) : undefined
  return form.decision === "deny" ? { kind: "deny", text } : { kind: "respond", text: text ?? "" }
}

function refuse(context: Context, { why, reason }: Refusal): Response {
  return say(context, statuses[why], "Nothing was decided", reason)
}

function say(
  context: Context,
  status: 200 | 403 | 409 | 410 | 429,
  title: string,
  sentence: string,
): Response {
  return context.html(sentencePage(title, sentence), status, { ...pageHeaders }) as Response
}
