import { ambientState, changeAmbientState } from "../../attention/ambient-state.ts"
import { budgetStatus } from "../../attention/budget-status.ts"
import {
  beginCycle,
  type Cycle,
  emptyReceipt,
  endCycle,
  type Progress,
  type Receipt,
  saveProgress,
} from "../../attention/cycles.ts"
import { addItem, claimDue, type NewItem, releaseItems, waitingItems } from "../../attention/queue.ts"
import type { RunDecision } from "../../attention/scheduler.ts"
import { takeTriggers } from "../../attention/trigger.ts"
import { isoTime } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { newId } from "../../base/random.ts"
import { count } from "../../base/text/text.ts"
import { type CallsOfModel, cycleCalls } from "../../llm/ledger.ts"
import { poolOf } from "../../llm/limits/pools.ts"
import { inProjects } from "../../memory/garden/excluded.ts"
import type { GardenChange, GardenProgress, GardenReport, OpenQuestion } from "../../memory/garden/garden.ts"
import { createLossBudget } from "../../memory/model/agents/losses.ts"
import type { By } from "../../storage/journal.ts"
import type { Ending } from "../../tools/cycle.ts"
import { removeUnproposedWorktrees } from "../permissions/clean-up.ts"
import type { CycleStart, Run, TendNeeds } from "./run.ts"
import { findWork } from "./scout/find-work.ts"
import { converseWithModel } from "./talk.ts"

/** Runs one cycle to its end: the queue, the garden by rules, and the rest by a model, if needed and possible. */
export async function runCycle(
  needs: TendNeeds,
  begin: RunDecision,
  before: CycleStart,
  signal: AbortSignal,
): Promise<Cycle> {
  const run = await beginRun(needs, begin, before)
  const deadline = limitedBy(needs, signal)
  try {
    const report = await needs.garden({
      by: run.by,
      excluded: run.excluded.excluded,
      limit: needs.config.ambient.changes_per_cycle,
      losses: run.losses,
      signal: deadline.signal,
      cycle: run.cycle.id,
      onWork: saveGardenProgress(needs, run),
      onChange: (deed) => saveChange(needs, run, deed),
    })
    run.receipt.warnings.push(...report.warnings)
    const shown = await visibleToModel(needs, run, report)
    await findWork(needs, run, deadline.signal)
    const mayTalk = begin.mayAsk && !deadline.signal.aborted && hasReason(run, shown.open)
    if (mayTalk) await converseWithModel(needs, run, before, shown, deadline.signal)
    if (!run.modelFinished) run.receipt.open = report.open.map(summaryOfQuestion)
    if (!begin.mayAsk) await warnOfWaiting(needs, run)
    run.ending ??= run.status === "complete" ? ruleEnding(run, report) : undefined
  } catch (error) {
    run.failure = error
  } finally {
    deadline.end()
  }
  await removeUnproposedWorktrees(needs, run.cycle.id).catch((error: unknown) => {
    run.receipt.warnings.push(needs.screen.redactSync(messageOf(error)))
  })
  return finish(needs, run, signal)
}

/** The report without projects that exclude models. */
async function visibleToModel(
  { db }: TendNeeds,
  { excluded }: Run,
  report: GardenReport,
): Promise<GardenReport> {
  const ids = report.open.flatMap(({ memories }) => memories.map(({ id }) => id))
  const hidden = await inProjects(db, ids, excluded.unseen)
  return {
    ...report,
    open: report.open.filter(({ memories }) => !memories.some(({ id }) => hidden.has(id))),
    gaps: report.gaps.filter(({ project }) => !excluded.unseen.has(project ?? "")),
  }
}

function summaryOfQuestion({ kind, memories, note }: OpenQuestion): Receipt["open"][number] {
  return { kind, memories: memories.map(({ id }) => id), note }
}

/** If a model is needed but may not be asked, the receipt says what waits and why. */
async function warnOfWaiting(needs: TendNeeds, { cycle, receipt, progress }: Run): Promise<void> {
  const items = await waitingItems(needs.db, needs.install)
  const due = items.filter(({ dueAt, state }) => state === "waiting" && dueAt <= cycle.startedAt).length
  const left = progress.todos.length
  if (due + left === 0) return
  const what = [
    ...(due > 0 ? [count(due, "planned item")] : []),
    ...(left > 0 ? [`${count(left, "todo")} of an interrupted cycle`] : []),
  ]
  receipt.warnings.push(`Waiting: ${what.join(" and ")}. ${await whyNoModel(needs)}`)
}

async function whyNoModel(needs: TendNeeds): Promise<string> {
  const { chosen, why } = await needs.models.choose("gardener")
  if (chosen === null) return why
  const { decision } = await budgetStatus(needs, poolOf(chosen.access), chosen.model)
  return `The budget allows a model again at ${isoTime(decision.nextAt)}: ${decision.reason}`
}

/** Claims due items and triggers, and records that the cycle has begun, in one transaction. */
async function beginRun(
  needs: TendNeeds,
  { why, mayAsk }: RunDecision,
  { lastCycle, level }: CycleStart,
): Promise<Run> {
  const { db, clock, install, random } = needs
  const now = clock.now()
  const by = { operation: newId(random, "op"), actor: "ambient" }
  const trigger = why.kind === "trigger" ? why.trigger : why.kind
  const excluded = await needs.excluded()
  return db.write(async (transaction) => {
    const cycle = await beginCycle(transaction, { install, random, now }, { trigger, items: [] }, by)
    // Items that need a model wait for one.
    const items = mayAsk ? await claimDue(transaction, { install, now, cycle: cycle.id }, by) : []
    await takeTriggers(transaction, { install, cycle: cycle.id, until: now })
    const progress = {
      ...cycle.progress,
      todos: unfinishedTodos(lastCycle),
      items: items.map(({ id }) => id),
    }
    await saveProgress(transaction, cycle.id, { progress })
    return {
      cycle,
      by: operationsOf(cycle.id),
      excluded,
      level,
      losses: createLossBudget(needs.config.ambient.losses_per_cycle),
      sandbox: undefined,
      candidates: [],
      items,
      progress,
      receipt: emptyReceipt(),
      ending: undefined,
      status: "complete",
      failure: undefined,
      hasAsked: false,
      modelFinished: false,
    }
  })
}

/** How often an unfinished todo is handed over by cycles that ended well; then it is dropped. */
const mostHandedOver = 2

/** Unfinished todos of the last cycle, also if only rules ran since. */
function unfinishedTodos(last: Cycle | undefined): Progress["todos"] {
  if (last === undefined) return []
  const open = last.progress.todos.filter(({ done }) => !done)
  if (last.status === "interrupted" || last.model === null) return open
  return open
    .map((todo) => ({ ...todo, handedOver: (todo.handedOver ?? 0) + 1 }))
    .filter(({ handedOver }) => handedOver <= mostHandedOver)
}

function operationsOf(cycle: string): () => By {
  let count = 0
  return () => {
    count += 1
    return { operation: `${cycle}-${count}`, actor: "ambient" }
  }
}

/** The shortest time between two updates of the garden's progress. */
const progressEveryMs = 300

function saveGardenProgress({ db, clock }: TendNeeds, run: Run): (garden: GardenProgress) => Promise<void> {
  let savedAt = clock.now()
  return async (garden) => {
    if (clock.now() - savedAt < progressEveryMs) return
    savedAt = clock.now()
    run.progress = { ...run.progress, garden }
    const { progress } = run
    await db.write((transaction) => saveProgress(transaction, run.cycle.id, { progress }))
  }
}

async function saveChange(
  { db }: TendNeeds,
  run: Run,
  { name, operation, changed, words }: GardenChange,
): Promise<void> {
  if (changed === 0) return
  run.receipt.deeds.push({ name, operation, changed, words })
  await db.write((transaction) => saveProgress(transaction, run.cycle.id, { receipt: run.receipt }))
}

/** A model is asked only for what rules cannot do. */
function hasReason({ items, progress, candidates, level }: Run, open: readonly OpenQuestion[]): boolean {
  if (level === "work" && candidates.length > 0) return true
  return items.length > 0 || open.length > 0 || progress.todos.length > 0
}

/** The ending of a cycle without a model. */
function ruleEnding({ receipt }: Run, { isDone }: GardenReport): Ending {
  const done = changesText(receipt)
  const rest = isDone ? "" : " More is left for the next cycle."
  const { length: seen } = receipt.found
  const nothing =
    seen === 0
      ? "Nothing to do."
      : `Nothing was changed. ${count(seen, "thing")} may be worth doing; see the receipt.`
  const summary = done === "" ? `${nothing}${rest}` : `By rules: ${done}.${rest}`
  return { summary, wake: null }
}

function changesText({ deeds }: Receipt): string {
  const byName = Map.groupBy(deeds, ({ name }) => name)
  return [...byName]
    .map(([name, all]) => {
      const changed = all.reduce((sum, deed) => sum + deed.changed, 0)
      return `${name} (${count(changed, "change")})`
    })
    .join(", ")
}

/** Ends the cycle in one transaction: releases its items, saves its requested wake and adds its plan. */
async function finish(needs: TendNeeds, run: Run, signal: AbortSignal): Promise<Cycle> {
  const { db, clock, install, random } = needs
  const now = clock.now()
  const by = { operation: newId(random, "op"), actor: "ambient" }
  if (signal.aborted) run.status = "interrupted"
  else if (run.failure !== undefined) {
    run.status = "incomplete"
    run.receipt.warnings.push(needs.screen.redactSync(messageOf(run.failure)))
  }
  await countCalls(needs, run)
  const { status, receipt } = run
  const summary = run.ending?.summary ?? unfinishedSummary(run, signal)
  const ended = { status, summary, receipt }
  await db.write(async (transaction) => {
    await endCycle(transaction, { id: run.cycle.id, now }, ended, by)
    // Unfinished items wait again.
    await releaseItems(transaction, { now, cycle: run.cycle.id, pauseMs: pauseAfter(run) }, by)
    const { requestedWake: earlier } = await ambientState(transaction, install)
    const requestedWake = nextWake(run, earlier, now)
    const entry = { ...by, kind: "ambient.scheduled" as const, data: { requestedWake } }
    await changeAmbientState(transaction, { install, now }, { requestedWake }, entry)
    const plan = planOf(run)
    if (plan) await addItem(transaction, { install, random, now }, plan, by)
  })
  return { ...run.cycle, ...ended, endedAt: now, progress: run.progress }
}

/** Fills the receipt from the ledger, which has all calls of the cycle. */
async function countCalls({ db, install }: TendNeeds, { cycle, receipt }: Run): Promise<void> {
  const models = await cycleCalls(db, install, cycle.id)
  const sum = (pick: (one: CallsOfModel) => number) => models.reduce((all, one) => all + pick(one), 0)
  receipt.models = models
  receipt.calls = sum(({ calls }) => calls)
  receipt.tokens = {
    input: sum(({ input }) => input),
    cachedInput: sum(({ cachedInput }) => cachedInput),
    output: sum(({ output }) => output),
  }
  receipt.costUsd = sum(({ costUsd }) => costUsd)
}

type RequestedWake = Awaited<ReturnType<typeof ambientState>>["requestedWake"]

/** A requested wake is valid until a model has ended a cycle, or its time has passed. */
function nextWake({ hasAsked, ending }: Run, earlier: RequestedWake, now: number): RequestedWake {
  if (hasAsked && ending) return ending.wake
  return earlier?.at != null && earlier.at > now ? earlier : null
}

/** What the agent wants to do when it wakes becomes a queue item, so that a model is asked about it. */
function planOf({ hasAsked, ending, cycle }: Run): NewItem | undefined {
  if (!hasAsked || !ending?.wake || ending.wake.context.trim() === "") return undefined
  const { at: dueAt, context } = ending.wake
  return { dueAt, priority: "normal", context, project: null, createdBy: cycle.id }
}

function unfinishedSummary({ receipt, status }: Run, signal: AbortSignal): string {
  const done = changesText(receipt)
  const soFar = done === "" ? "Nothing was changed" : `It had done: ${done}`
  if (status !== "interrupted") return `It did not finish. ${soFar}.`
  return `Interrupted, because ${messageOf(signal.reason)}; the next cycle continues from there. ${soFar}.`
}

const minuteMs = 60_000

/** The pause before a retry: ten minutes, doubled with each attempt, at most a day. */
function pauseAfter({ items, status }: Run): number {
  if (status === "interrupted") return 0
  const attempts = Math.max(1, ...items.map((item) => item.attempts))
  return Math.min(24 * 60, 10 * 2 ** (attempts - 1)) * minuteMs
}

/** Aborts when the time of a cycle is up. */
function limitedBy({ clock, config }: TendNeeds, signal: AbortSignal) {
  const controller = new AbortController()
  const cancel = clock.after(config.ambient.max_minutes * minuteMs, () =>
    controller.abort(new Error("its time was up")),
  )
  return { signal: AbortSignal.any([signal, controller.signal]), end: cancel }
}
