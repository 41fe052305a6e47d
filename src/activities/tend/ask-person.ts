import { isoTime } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import { eachText } from "../../memory/model/screen-memory.ts"
import type { Decided } from "../../safety/dispatch.ts"
import { decide } from "../../safety/dispatch.ts"
import { contextSchema, type NewRequest, type PermissionRequest } from "../../safety/permission/request.ts"
import { addRequest, denialsOf, markTold, untoldDecisions } from "../../safety/permission/requests.ts"
import type { Tool, ToolOutcome } from "../../safety/tool.ts"
import { appendEntry } from "../../storage/journal.ts"
import { fenced } from "../../tools/fenced.ts"
import type { Wanted } from "../../tools/permission.ts"
import type { Run, TendNeeds } from "./run.ts"

const hourMs = 3_600_000
/** A kind of thing that was denied so often is not asked again. */
const enoughDenials = 2

/** Asks for what the agent wants by its own words, perhaps with the very call that would run. */
export async function askFor(
  needs: TendNeeds,
  run: Run,
  tools: readonly Tool[],
  wanted: Wanted,
): Promise<ToolOutcome> {
  const { call, project } = wanted
  if (project !== null && run.excluded.unseen.has(project))
    return { text: "Not asked: that project keeps you out.", isError: true }
  if (call === null) return ask(needs, run, wanted)
  const tool = tools.find(({ shape }) => shape.name === call.tool)
  if (tool === undefined) return { text: `Not asked: there is no tool ${call.tool}.`, isError: true }
  const checked = tool.check(call.input)
  if ("problem" in checked) return { text: `Not asked: ${checked.problem}`, isError: true }
  const decided = decide({ config: needs.config, hasReadOutside: true }, call.tool, checked)
  if (decided.tier === "never") return { text: `Not asked: ${decided.reason}`, isError: true }
  return ask(needs, run, { ...wanted, call: { tool: call.tool, input: checked.input } })
}

/** Asks about a call that may not run without a person. */
export function askAbout(needs: TendNeeds, run: Run, { tool, input, reason }: Decided): Promise<ToolOutcome> {
  const { project, action } = aboutOf(input)
  return ask(needs, run, {
    action: action ?? tool,
    description: `Run ${tool}.`,
    rationale: reason,
    urgency: "normal",
    wait: true,
    project,
    context: contextSchema.parse({}),
    call: { tool, input },
  })
}

function aboutOf(input: Decided["input"]): { project: string | null; action: string | undefined } {
  const { project, action } = input
  return {
    project: typeof project === "string" ? project : null,
    action: typeof action === "string" ? action : undefined,
  }
}

async function ask(needs: TendNeeds, run: Run, wanted: Wanted): Promise<ToolOutcome> {
  const { db, clock, install, random, config } = needs
  const now = clock.now()
  const { action, project } = wanted
  const denied = await denialsOf(db, { install, action, project })
  if (denied.length >= enoughDenials) {
    const ids = denied.map(({ id }) => id).join(", ")
    const data = { action, project, denied: ids }
    await db.write((transaction) =>
      appendEntry(transaction, {
        ...run.by(),
        at: now,
        kind: "permission.withheld",
        subject: run.cycle.id,
        data,
      }),
    )
    return {
      text: `Not asked: the person has denied ${action} ${denied.length} times (${ids}). Do not propose it again.`,
      isError: true,
    }
  }
  const { call, ...told } = wanted
  const screened = (await eachText(told, needs.screen.redact)) as Omit<Wanted, "call">
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

/** What the person decided about this cycle's requests since it was last told. */
export async function decisionsSince(
  { db, clock, install }: TendNeeds,
  run: Run,
): Promise<string | undefined> {
  const decided = await untoldDecisions(db, install, run.cycle.id)
  if (decided.length === 0) return undefined
  await db.write((transaction) =>
    markTold(
      transaction,
      decided.map(({ id }) => id),
      clock.now(),
    ),
  )
  return decided.map(decisionText).join("\n")
}

/** A decision in one line, for the agent that asked. */
export function decisionText({ id, action, state, decision, outcome }: PermissionRequest): string {
  const said = decision?.text ? ` They said: ${fenced(decision.text, 600)}` : ""
  const came = outcome ? ` Result: ${fenced(shorten(outcome, 600))}` : ""
  return `The person's decision about ${id} (${action}): ${state}.${said}${came}`
}
