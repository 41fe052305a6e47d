import { findCycle } from "../../attention/cycles.ts"
import { addItem } from "../../attention/queue.ts"
import { startLoop } from "../../base/loop.ts"
import { newId } from "../../base/random.ts"
import type { Screen } from "../../privacy/screen.ts"
import { decide } from "../../safety/dispatch.ts"
import { digestOf, type PermissionRequest, type RequestedCall } from "../../safety/permission/request.ts"
import {
  claimApproved,
  expireRequests,
  findRequest,
  finishRequest,
  listRequests,
  markTold,
  untoldDecisions,
} from "../../safety/permission/requests.ts"
import type { Tool } from "../../safety/tool.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import { decisionText } from "../tend/ask-person.ts"

interface RunNeeds extends InstallCore {
  screen: Screen
  /** The tools that what was asked for could be run with. */
  toolsFor(request: PermissionRequest): Promise<readonly Tool[]>
  /** Told of what was decided for good, so that what was prepared for it goes. */
  onSettled(request: PermissionRequest): Promise<void>
}

const everyMs = 60_000
const retryMs = 10_000
/** News come in bursts; one look for each is too many. */
const gatherMs = 100

/** Runs what a person approved, each once; lets what nobody decided expire; tells the agent what was decided. */
export function startRunningApproved(needs: RunNeeds): () => Promise<void> {
  let isFirst = true
  const work = async (signal: AbortSignal) => {
    if (isFirst) await recover(needs)
    isFirst = false
    await runDue(needs, signal)
    return everyMs
  }
  const problem = "What was approved could not be run; it is tried again"
  const loop = startLoop(needs, { work, firstMs: 0, problem, retryMs })
  const stopListening = needs.db.onCommit(() => loop.putOff(gatherMs))
  return async () => {
    stopListening()
    await loop.stop("the daemon stopped")
  }
}

/** One look at all that was decided. */
async function runDue(needs: RunNeeds, signal: AbortSignal): Promise<void> {
  const { db, clock, install } = needs
  const now = clock.now()
  const due = await listRequests(db, install, ["pending"])
  if (due.some(({ expiresAt }) => expiresAt <= now)) {
    const expired = await db.write((transaction) =>
      expireRequests(transaction, { install, now }, byOf(needs)),
    )
    for (const request of expired) await needs.onSettled(request)
  }
  for (const request of await listRequests(db, install, ["approved"])) {
    if (signal.aborted) return
    if (request.call !== null) await runOne(needs, request, signal)
  }
  for (const request of await listRequests(db, install, ["denied"], 20)) await needs.onSettled(request)
  await tellAgent(needs)
}

async function runOne(needs: RunNeeds, request: PermissionRequest, signal: AbortSignal): Promise<void> {
  const { db, clock } = needs
  const { id } = request
  const call = await db.write((transaction) =>
    claimApproved(transaction, { id, now: clock.now() }, byOf(needs)),
  )
  if (call !== undefined) await finish(needs, id, await outcomeOf(needs, request, call, signal))
}

interface Outcome {
  state: "done" | "failed"
  outcome: string
}

/** Runs exactly what was approved; what may never run does not, also if somebody approved it. */
async function outcomeOf(
  needs: RunNeeds,
  request: PermissionRequest,
  { tool: name, input }: RequestedCall,
  signal: AbortSignal,
): Promise<Outcome> {
  const now = await findRequest(needs.db, needs.install, request.id)
  if (now === undefined || digestOf(now) !== now.digest || now.digest !== request.digest)
    return { state: "failed", outcome: "Not done: it is no longer what was shown." }
  const tool = (await needs.toolsFor(request)).find(({ shape }) => shape.name === name)
  if (tool === undefined) return { state: "failed", outcome: `${name} cannot be run any more.` }
  const checked = tool.check(input)
  if ("problem" in checked) return { state: "failed", outcome: checked.problem }
  const { tier, reason } = decide({ config: needs.config, hasReadOutside: true }, name, checked)
  if (tier === "never") return { state: "failed", outcome: `Not done: ${reason}` }
  const { text, isError = false } = await checked.run(signal)
  return { state: isError ? "failed" : "done", outcome: text }
}

async function finish(needs: RunNeeds, id: string, { state, outcome }: Outcome): Promise<void> {
  const told = { state, outcome: await needs.screen.redact(outcome) }
  const at = { id, now: needs.clock.now() }
  await needs.db.write((transaction) => finishRequest(transaction, at, told, byOf(needs)))
  const request = await findRequest(needs.db, needs.install, id)
  if (request) await needs.onSettled(request)
}

/** What was being run when the process died: what may be done twice is done again, of the rest nobody knows. */
async function recover(needs: RunNeeds): Promise<void> {
  for (const request of await listRequests(needs.db, needs.install, ["running"])) {
    const call = request.call && { ...request.call, input: request.decision?.input ?? request.call.input }
    const tool = (await needs.toolsFor(request)).find(({ shape }) => shape.name === call?.tool)
    const outcome =
      call && tool?.isRepeatable
        ? await outcomeOf(needs, request, call, new AbortController().signal)
        : { state: "failed" as const, outcome: "The process died while it ran; look whether it was done." }
    await finish(needs, request.id, outcome)
  }
}

/** A decision that the agent waits for, and whose cycle is over, is an item of the queue. */
async function tellAgent(needs: RunNeeds): Promise<void> {
  const { db, clock, install, random } = needs
  for (const request of await untoldDecisions(db, install)) {
    const cycle = await findCycle(db, install, request.askedBy)
    // What is about to be run is told with its result.
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
      await markTold(transaction, [request.id], now)
      await addItem(transaction, { install, random, now }, item, byOf(needs))
    })
  }
}

function byOf({ random }: Pick<RunNeeds, "random">): By {
  return { operation: newId(random, "op"), actor: "daemon" }
}
