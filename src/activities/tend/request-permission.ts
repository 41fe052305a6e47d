import { isoTime } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import { projectRoot } from "../../memory/model/known-projects.ts"
import { cleanDeep } from "../../memory/model/screen-memory.ts"
import type { CallDecision } from "../../safety/dispatch.ts"
import { decide } from "../../safety/dispatch.ts"
import { contextSchema, type NewRequest, type PermissionRequest } from "../../safety/permission/request.ts"
import {
  addRequest,
  denialsOf,
  listRequests,
  markReported,
  unreportedDecisions,
} from "../../safety/permission/requests.ts"
import { type Tool, type ToolOutcome, toolError } from "../../safety/tool.ts"
import { appendEntry } from "../../storage/journal.ts"
import { fenced } from "../../tools/fenced.ts"
import type { PermissionDraft } from "../../tools/permission.ts"
import type { Run, TendNeeds } from "./run.ts"

const hourMs = 3_600_000
/** An action that was denied this often is not requested again. */
const enoughDenials = 2
/** At most this many requests may wait at once, and a cycle may make: a person reads no more. */
const mostWaiting = 50
const mostPerCycle = 10
/** The longest reason in the journal. */
const longestReason = 1000

/** Requests a permission that the agent described, perhaps with the call that would run. */
export async function requestPermission(
  needs: TendNeeds,
  run: Run,
  tools: readonly Tool[],
  wanted: PermissionDraft,
): Promise<ToolOutcome> {
  const { call, project } = wanted
  const withheld = (reason: string) => withhold(needs, run, wanted, reason)
  if (project !== null && run.excluded.unseen.has(project)) return withheld("that project excludes models.")
  if (project !== null && (await projectRoot(needs.db, project)) === undefined)
    return withheld("there is no project of that id; leave it out if it is about none.")
  if (call === null) return addPermissionRequest(needs, run, wanted)
  const tool = tools.find(({ shape }) => shape.name === call.tool)
  if (tool === undefined) return withheld(`there is no tool ${shorten(call.tool, 100)}.`)
  const checked = tool.check(call.input)
  if ("problem" in checked) return withheld(checked.problem)
  const decided = decide({ config: needs.config, hasReadUntrusted: true }, call.tool, checked)
  if (decided.tier === "never") return withheld(decided.reason)
  return addPermissionRequest(needs, run, { ...wanted, call: { tool: call.tool, input: checked.input } })
}

/** Requests permission for a call that needs a person. */
export function requestForCall(
  needs: TendNeeds,
  run: Run,
  { tool, input, reason }: CallDecision,
): Promise<ToolOutcome> {
  return addPermissionRequest(needs, run, {
    action: tool,
    description: `Run ${tool}.`,
    rationale: reason,
    urgency: "normal",
    wait: true,
    project: typeof input.project === "string" ? input.project : null,
    context: contextSchema.parse({}),
    call: { tool, input },
  })
}

/** Does not ask the person, records why, and tells the agent. */
async function withhold(
  { db, clock, screen }: TendNeeds,
  run: Run,
  { action, project, call }: PermissionDraft,
  reason: string,
): Promise<ToolOutcome> {
  const summary = { action, project, tool: call?.tool ?? null, reason }
  const data = await cleanDeep(summary, async (text) => shorten(await screen.redact(text), longestReason))
  const entry = { at: clock.now(), kind: "permission.withheld", subject: run.cycle.id, data } as const
  await db.write((transaction) => appendEntry(transaction, { ...run.by(), ...entry }))
  return toolError(`Not asked: ${reason}`)
}

async function addPermissionRequest(
  needs: TendNeeds,
  run: Run,
  wanted: PermissionDraft,
): Promise<ToolOutcome> {
  const { db, clock, install, random, config } = needs
  const now = clock.now()
  const { action } = wanted
  const denied = await denialsOf(db, { install, ...wanted })
  if (denied.length >= enoughDenials) {
    const ids = denied.map(({ id }) => id).join(", ")
    const times = `${denied.length} times (${ids})`
    return withhold(needs, run, wanted, `the person has denied ${action} ${times}. Do not propose it again.`)
  }
  const waiting = await listRequests(db, install, ["pending"])
  if (waiting.length >= mostWaiting || run.receipt.requests.length >= mostPerCycle)
    return withhold(needs, run, wanted, "too much waits for the person already; put it off to a later cycle.")
  const { call, ...texts } = wanted
  const screened = (await cleanDeep(texts, needs.screen.redact)) as Omit<PermissionDraft, "call">
  const request: NewRequest = {
    ...screened,
    call,
    askedBy: run.cycle.id,
    expiresAt: now + config.safety.request_expires_hours * hourMs,
  }
  const by = run.by()
  const asked = await db.write((transaction) =>
    addRequest(transaction, { install, random, now }, request, by),
  )
  if (!run.receipt.requests.some(({ id }) => id === asked.id))
    run.receipt.requests.push({ id: asked.id, action, description: asked.description })
  return {
    text: `Asked as ${asked.id}; it waits for the person until ${isoTime(asked.expiresAt)}. Go on with other work.`,
  }
}

/** New decisions about this cycle's requests, as text for the agent. */
export async function decisionsSince(
  { db, clock, install }: TendNeeds,
  run: Run,
): Promise<string | undefined> {
  const decided = await unreportedDecisions(db, install, run.cycle.id)
  if (decided.length === 0) return undefined
  await db.write((transaction) =>
    markReported(
      transaction,
      decided.map(({ id }) => id),
      clock.now(),
    ),
  )
  return decided.map(decisionText).join("\n")
}

/** A decision in one line, for the agent that asked. */
export function decisionText({ id, action, state, decision, outcome }: PermissionRequest): string {
  const comment = decision?.text ? ` They said: ${fenced(decision.text, 600)}` : ""
  const result = outcome ? ` Result: ${fenced(shorten(outcome, 600))}` : ""
  return `The person's decision about ${id} (${action}): ${state}.${comment}${result}`
}
