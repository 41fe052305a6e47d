import { UserError } from "../../base/errors.ts"
import { shorten } from "../../base/text/text.ts"
import type { MemoryWriteCore } from "../../memory/write/prepare.ts"
import { decide } from "../../safety/dispatch.ts"
import type { Decider, PermissionRequest, RequestedCall } from "../../safety/permission/request.ts"
import { type Decision, decideRequest, findRequest, noSuchRequest } from "../../safety/permission/requests.ts"
import type { Tool } from "../../safety/tool.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import { rememberFeedback } from "../tend/feedback.ts"

export interface DecideNeeds extends MemoryWriteCore, InstallCore {
  /** The tools that could run the requested call. */
  toolsFor(request: PermissionRequest): Promise<readonly Tool[]>
}

/** A person's decision about one request. */
export interface RequestDecision {
  id: string
  /** The digest of what they were shown. */
  digest: string
  decision: Decision
  decider: Decider
}

/** Finds a request or throws. */
export async function requireRequest(
  { db, install }: Pick<DecideNeeds, "db" | "install">,
  id: string,
): Promise<PermissionRequest> {
  const request = await findRequest(db, install, id)
  if (request === undefined) throw new UserError("not-found", noSuchRequest(id))
  return request
}

/** Saves a person's decision, and remembers it for later cycles. */
export async function decideOn(
  needs: DecideNeeds,
  { id, digest, decision, decider }: RequestDecision,
  by: By,
): Promise<PermissionRequest> {
  const request = await requireRequest(needs, id)
  const checked = await checkDecision(needs, request, decision)
  const now = needs.clock.now()
  const decided = await needs.db.write((transaction) =>
    decideRequest(transaction, { id: request.id, digest, now }, checked, decider, by),
  )
  await rememberDecision(needs, decided, by)
  return decided
}

/** Redacts the person's text, and checks edited arguments against the same rules as the original ones. */
async function checkDecision(
  needs: DecideNeeds,
  request: PermissionRequest,
  decision: Decision,
): Promise<Decision> {
  if (decision.kind !== "approve") {
    const text = decision.text === undefined ? undefined : await needs.screen.redact(decision.text)
    return { ...decision, text } as Decision
  }
  if (decision.input === undefined) return decision
  if (request.call === null)
    throw new UserError(
      "usage",
      `${request.id} has no arguments to edit; approve it, deny it or respond to it.`,
    )
  const edited = { ...request.call, input: decision.input }
  return { kind: "approve", input: await checkInput(needs, request, edited) }
}

async function checkInput(
  needs: DecideNeeds,
  request: PermissionRequest,
  call: RequestedCall,
): Promise<RequestedCall["input"]> {
  const tool = (await needs.toolsFor(request)).find(({ shape }) => shape.name === call.tool)
  if (tool === undefined) throw new UserError("conflict", `${call.tool} can no longer be run.`)
  const checked = tool.check(call.input)
  if ("problem" in checked) throw new UserError("usage", checked.problem)
  const { tier, reason } = decide({ config: needs.config, hasReadUntrusted: true }, call.tool, checked)
  if (tier === "never") throw new UserError("refused", `Not approved: ${reason}`)
  return checked.input
}

const words = {
  approve: "I approve of what Reverie asked to do",
  deny: "I do not want what Reverie asked to do",
  respond: "I answered what Reverie asked",
}

/** Remembers a person's decision, wherever they made it. */
export async function rememberDecision(
  needs: MemoryWriteCore,
  request: PermissionRequest,
  by: By,
): Promise<void> {
  const { id, action, description, state, decision } = request
  const kind = state === "denied" ? "deny" : state === "answered" ? "respond" : "approve"
  const text = decision?.text ? ` I said: ${decision.text}` : ""
  const content = `User: ${words[kind]} (${action}, ${id}): ${shorten(description, 300)}${text}`
  await rememberFeedback(needs, { content, sourceId: `${id}/${state}` }, by)
}
