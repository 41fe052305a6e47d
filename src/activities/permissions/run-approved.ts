import { findCycle } from "../../attention/cycles.ts"
import { addItem } from "../../attention/queue.ts"
import { type Loop, startLoop } from "../../base/loop.ts"
import type { Screen } from "../../privacy/screen.ts"
import { decide } from "../../safety/dispatch.ts"
import { digestOf, type PermissionRequest, type RequestedCall } from "../../safety/permission/request.ts"
import {
  claimApproved,
  expireRequests,
  findRequest,
  finishRequest,
  listRequests,
  markReported,
  unreportedDecisions,
} from "../../safety/permission/requests.ts"
import type { Tool } from "../../safety/tool.ts"
import type { InstallCore } from "../../storage/core.ts"
import { newOperation } from "../../storage/journal.ts"
import { decisionText } from "../tend/request-permission.ts"

interface RunApprovedNeeds extends InstallCore {
  screen: Screen
  /** The tools that could run the requested call. */
  toolsFor(request: PermissionRequest): Promise<readonly Tool[]>
  /** Called after a final decision, to clean up what was prepared for it. */
  onSettled(request: PermissionRequest): Promise<void>
}

const everyMs = 60_000
const retryMs = 10_000
/** Several commits in a row cause one run. */
const gatherMs = 100

/** Runs approved calls once, expires overdue requests, and reports decisions to the agent. Returns how to stop. */
export function startRunningApproved(needs: RunApprovedNeeds): () => Promise<void> {
  let isFirst = true
  const work = async (signal: AbortSignal) => {
    if (isFirst) await recover(needs)
    isFirst = false
    await runDue(needs, signal)
    return everyMs
  }
  const problem = "Approved calls could not be run; trying again"
  const wakeOn = (loop: Loop) => needs.db.onCommit(() => loop.postpone(gatherMs))
  const { stop } = startLoop(needs, { work, firstMs: 0, problem, retryMs, wakeOn })
  return () => stop("the daemon stopped")
}

async function runDue(needs: RunApprovedNeeds, signal: AbortSignal): Promise<void> {
  const { db, clock, install } = needs
  const now = clock.now()
  const due = await listRequests(db, install, ["pending"])
  if (due.some(({ expiresAt }) => expiresAt <= now)) {
    const expired = await db.write((transaction) =>
      expireRequests(transaction, { install, now }, newOperation(needs, "daemon")),
    )
    for (const request of expired) await needs.onSettled(request)
  }
  for (const request of await listRequests(db, install, ["approved"])) {
    if (signal.aborted) return
    if (request.call !== null) await runOne(needs, request, signal)
  }
  for (const request of await listRequests(db, install, ["denied"], 20)) await needs.onSettled(request)
  await reportDecisions(needs)
}

async function runOne(
  needs: RunApprovedNeeds,
  request: PermissionRequest,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = needs
  const { id } = request
  const call = await db.write((transaction) =>
    claimApproved(transaction, { id, now: clock.now() }, newOperation(needs, "daemon")),
  )
  if (call !== undefined) await finish(needs, id, await outcomeOf(needs, request, call, signal))
}

interface CallResult {
  state: "done" | "failed"
  outcome: string
}

/** Runs exactly the approved call. What may never run does not run, even if it was approved. */
async function outcomeOf(
  needs: RunApprovedNeeds,
  request: PermissionRequest,
  { tool: name, input }: RequestedCall,
  signal: AbortSignal,
): Promise<CallResult> {
  const now = await findRequest(needs.db, needs.install, request.id)
  if (now === undefined || digestOf(now) !== now.digest || now.digest !== request.digest)
    return { state: "failed", outcome: "Not done: the request is no longer what was shown." }
  const tool = (await needs.toolsFor(request)).find(({ shape }) => shape.name === name)
  if (tool === undefined) return { state: "failed", outcome: `${name} can no longer be run.` }
  const checked = tool.check(input)
  if ("problem" in checked) return { state: "failed", outcome: checked.problem }
  const { tier, reason } = decide({ config: needs.config, hasReadUntrusted: true }, name, checked)
  if (tier === "never") return { state: "failed", outcome: `Not done: ${reason}` }
  const { text, isError = false } = await checked.run(signal)
  return { state: isError ? "failed" : "done", outcome: text }
}

async function finish(needs: RunApprovedNeeds, id: string, { state, outcome }: CallResult): Promise<void> {
  const screened = { state, outcome: await needs.screen.redact(outcome) }
  const at = { id, now: needs.clock.now() }
  await needs.db.write((transaction) =>
    finishRequest(transaction, at, screened, newOperation(needs, "daemon")),
  )
  const request = await findRequest(needs.db, needs.install, id)
  if (request) await needs.onSettled(request)
}

/** Calls that were running when the process died: repeatable ones run again, the result of others is unknown. */
async function recover(needs: RunApprovedNeeds): Promise<void> {
  for (const request of await listRequests(needs.db, needs.install, ["running"])) {
    const call = request.call && { ...request.call, input: request.decision?.input ?? request.call.input }
    const tool = (await needs.toolsFor(request)).find(({ shape }) => shape.name === call?.tool)
    const outcome =
      call && tool?.isRepeatable
        ? await outcomeOf(needs, request, call, new AbortController().signal)
        : { state: "failed" as const, outcome: "The process died while it ran; check whether it was done." }
    await finish(needs, request.id, outcome)
  }
}

/** Queues decisions for the agent if its cycle is over. */
async function reportDecisions(needs: RunApprovedNeeds): Promise<void> {
  const { db, clock, install, random } = needs
  for (const request of await unreportedDecisions(db, install)) {
    const cycle = await findCycle(db, install, request.askedBy)
    // A call that is about to run is reported with its result.
    if (cycle?.status === "running" || (request.state === "approved" && request.call !== null)) continue
    const now = clock.now()
    const { project } = request
    const item = {
      dueAt: now,
      priority: "normal",
      context: decisionText(request),
      project,
      createdBy: "inbox",
    } as const
    await db.write(async (transaction) => {
      await markReported(transaction, [request.id], now)
      await addItem(transaction, { install, random, now }, item, newOperation(needs, "daemon"))
    })
  }
}
