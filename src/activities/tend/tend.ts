import { ambientState, changeAmbientState } from "../../attention/ambient-state.ts"
import {
  beginCycle,
  type Cycle,
  type CycleStatus,
  emptyReceipt,
  endCycle,
  keepMessage,
  keepProgress,
  type Progress,
  type Receipt,
} from "../../attention/cycles.ts"
import { claimDue, finishItems, type QueueItem, releaseItems } from "../../attention/queue.ts"
import { budgetStanding, type Standing } from "../../attention/standing.ts"
import { takeTriggers } from "../../attention/trigger.ts"
import type { WakeReason } from "../../attention/wake.ts"
import { newId } from "../../base/random.ts"
import type { Message } from "../../llm/access.ts"
import type { Models } from "../../llm/models.ts"
import { poolName, poolOf } from "../../llm/pools.ts"
import type { GardenPass, GardenReport, OpenQuestion } from "../../memory/garden/garden.ts"
import { markAsked } from "../../memory/garden/marks.ts"
import { type By, lastEntry } from "../../storage/journal.ts"
import { type CycleView, continuation, cyclePrompt, systemPrompt } from "./prompts.ts"
import { cycleTools, type Ending, type ToolNeeds } from "./tools.ts"

/** What a cycle works with. */
export interface TendNeeds
  extends Omit<ToolNeeds, "cycle" | "by" | "lossLimit" | "onTodos" | "onDeed" | "onEnding"> {
  models: Models
  garden(pass: GardenPass): Promise<GardenReport>
  /** What only the senses know: sessions, and how the memory is. */
  scout(since: number | null): Promise<Pick<CycleView, "sessions" | "health" | "feedback" | "activeSessions">>
}

/** What was known before the cycle began. */
export interface Before {
  lastCycle: Cycle | undefined
  leftOver: readonly string[]
  isTrusted: boolean
}

/** Runs one cycle to its end: queue, garden by rules, and what is left open by a model, if there is one and a reason. */
export async function runCycle(
  needs: TendNeeds,
  why: WakeReason,
  before: Before,
  signal: AbortSignal,
): Promise<Cycle> {
  const run = await begin(needs, why)
  const deadline = limitedBy(needs, signal)
  try {
    const report = await needs.garden({
      by: () => run.by(),
      limit: needs.config.ambient.changes_per_cycle,
      lossLimit: needs.config.ambient.losses_per_cycle,
      signal: deadline.signal,
      onDeed: (deed) => keepDeed(needs, run, deed),
    })
    run.receipt.warnings.push(...report.warnings)
    if (!deadline.signal.aborted && hasReason(run, report.open))
      await talk(needs, run, before, report, deadline.signal)
    else run.ending ??= ruleEnding(run, report)
  } catch (error) {
    run.failure = error
  } finally {
    deadline.end()
  }
  return finish(needs, run, signal)
}

interface Run {
  cycle: Cycle
  /** A new operation of this cycle; all of them begin with its id, which is how undo finds them. */
  by(): By
  items: QueueItem[]
  progress: Progress
  receipt: Receipt
  ending: Ending | undefined
  status: Exclude<CycleStatus, "running">
  failure: unknown
  /** The newest journal entry when it began. */
  knownTo: number
}

function operation(needs: TendNeeds) {
  return { operation: newId(needs.random, "op"), actor: "ambient" }
}

/** Takes what is due and what asked for it, and writes down that the cycle has begun, all at once. */
async function begin(needs: TendNeeds, why: WakeReason): Promise<Run> {
  const { db, clock, install, random } = needs
  const now = clock.now()
  const by = operation(needs)
  const trigger = why.kind === "trigger" ? why.trigger : why.kind
  return db.write(async (transaction) => {
    const knownTo = await lastEntry(transaction)
    const cycle = await beginCycle(transaction, { install, random, now }, { trigger, items: [] }, by)
    const items = await claimDue(transaction, { install, now, cycle: cycle.id }, by)
    await takeTriggers(transaction, { install, cycle: cycle.id, until: now })
    const progress: Progress = { ...cycle.progress, items: items.map(({ id }) => id) }
    await keepProgress(transaction, cycle.id, { progress })
    const receipt: Receipt = { ...emptyReceipt, deeds: [], windows: [], warnings: [] }
    return {
      cycle,
      by: operationsOf(cycle.id),
      items,
      progress,
      receipt,
      ending: undefined,
      status: "complete",
      failure: undefined,
      knownTo,
    }
  })
}

function operationsOf(cycle: string): () => By {
  let count = 0
  return () => {
    count += 1
    return { operation: `${cycle}-${count}`, actor: "ambient" }
  }
}

async function keepDeed(
  { db }: TendNeeds,
  run: Run,
  { name, operation, changed }: { name: string; operation: string; changed: number },
): Promise<void> {
  if (changed === 0) return
  run.receipt.deeds.push({ name, operation, changed })
  await db.write((transaction) => keepProgress(transaction, run.cycle.id, { receipt: run.receipt }))
}

/** A model is asked only for what rules cannot do; a quiet day costs nothing. */
function hasReason({ items }: Run, open: readonly OpenQuestion[]): boolean {
  return items.length > 0 || open.length > 0
}

function ruleEnding({ receipt }: Run, { isDone }: GardenReport): Ending {
  const done = receipt.deeds.map(({ name, changed }) => `${name} ${changed}`).join(", ")
  const rest = isDone ? "" : " More is left for the next cycle."
  const summary = done === "" ? "Looked around; nothing was to be done." : `By rules: ${done}.${rest}`
  return { summary, memoriesModified: 0, proactiveWork: null, wish: null }
}

/** Has the conversation with the gardener's model, if one may be asked now. */
async function talk(
  needs: TendNeeds,
  run: Run,
  before: Before,
  report: GardenReport,
  signal: AbortSignal,
): Promise<void> {
  const choice = await needs.models.choose("gardener")
  const standing =
    choice.chosen && (await budgetStanding(needs, poolOf(choice.chosen.access), choice.chosen.model))
  if (!choice.chosen || !standing || standing.cycleTokens <= 0) {
    run.ending = ruleEnding(run, report)
    if (run.items.length > 0) {
      run.status = "incomplete"
      run.receipt.warnings.push(`Nobody to ask: ${choice.chosen ? standing?.decision.reason : choice.why}`)
    }
    return
  }
  run.progress = { ...run.progress, phase: "talking" }
  await needs.db.write((transaction) =>
    keepProgress(transaction, run.cycle.id, {
      progress: run.progress,
      ...(choice.chosen ? { model: choice.chosen } : {}),
    }),
  )
  const view = await viewOf(needs, run, before, report, standing)
  await converseToTheEnd(needs, run, cyclePrompt(view), standing, signal)
  if (run.ending) await markAsked(needs.db, report.open, needs.clock.now())
  const after = await budgetStanding(needs, poolOf(choice.chosen.access), choice.chosen.model)
  run.receipt.windows = usedOf(standing, after)
}

async function viewOf(
  needs: TendNeeds,
  run: Run,
  { lastCycle, leftOver, isTrusted }: Before,
  report: GardenReport,
  standing: Standing,
): Promise<CycleView> {
  const scouted = await needs.scout(lastCycle?.startedAt ?? null)
  return {
    ...scouted,
    now: needs.clock.now(),
    lastCycle: lastCycle
      ? { at: lastCycle.endedAt ?? lastCycle.startedAt, summary: lastCycle.summary, status: lastCycle.status }
      : null,
    leftOver,
    trigger: run.cycle.trigger,
    queue: run.items,
    gardened: run.receipt.deeds,
    open: report.open,
    mayWork: isTrusted,
    budget: {
      provider: poolName(standing.pool),
      windows: standing.decision.windows.map(
        ({ id, remaining, unit }) => `${id}: ${Math.round(remaining)} ${unit} left`,
      ),
      tokens: standing.cycleTokens,
    },
  }
}

const maxOutputTokens = 8000

/** Talks until the agent ends the cycle; one that stops before is asked once to go on, then it is over. */
async function converseToTheEnd(
  needs: TendNeeds,
  run: Run,
  prompt: string,
  standing: Standing,
  signal: AbortSignal,
): Promise<void> {
  const tools = cycleTools({
    ...needs,
    cycle: run.cycle.id,
    by: run.by,
    lossLimit: needs.config.ambient.losses_per_cycle,
    async onTodos(todos) {
      run.progress = { ...run.progress, todos }
      await needs.db.write((transaction) =>
        keepProgress(transaction, run.cycle.id, { progress: run.progress }),
      )
    },
    onDeed(name, { operation, memories }) {
      run.receipt.deeds.push({ name, operation, changed: memories.length })
    },
    onEnding(ending) {
      run.ending = ending
    },
  })
  let messages: Message[] = [{ role: "user", text: prompt }]
  let position = await keepAll(needs, run, messages, 0)
  let steps = needs.config.ambient.max_steps
  for (const attempt of ["first", "again"] as const) {
    const { tokens } = run.receipt
    const spent = tokens.input + tokens.output
    const conversed = await needs.models.converse(
      "gardener",
      {
        system: systemPrompt(),
        messages,
        tools,
        maxOutputTokens,
        limits: {
          steps,
          calls: steps * 3,
          tokens: Math.max(0, standing.cycleTokens - spent),
          wallMs: needs.config.ambient.max_minutes * 60_000,
        },
        signal,
        onMessage: async (message) => {
          position = await keepAll(needs, run, [message], position)
        },
      },
      { source: "ambient", cycle: run.cycle.id },
    )
    addUp(run.receipt, conversed)
    if (run.ending) return
    if (conversed.end.reason === "failed") run.receipt.warnings.push(conversed.end.failure.message)
    if (conversed.end.reason !== "answered" && conversed.end.reason !== "cut-off") break
    if (attempt === "again") break
    const reminder: Message = { role: "user", text: continuation }
    messages = [...conversed.messages, reminder]
    position = await keepAll(needs, run, [reminder], position)
    steps = Math.max(1, steps - conversed.steps)
  }
  run.status = "incomplete"
  run.receipt.warnings.push("The agent did not end its cycle; it is woken again after the longest interval.")
}

function addUp(receipt: Receipt, conversed: Awaited<ReturnType<Models["converse"]>>): void {
  const { spent, compactions, steps } = conversed
  receipt.tokens = {
    input: receipt.tokens.input + spent.input,
    cachedInput: receipt.tokens.cachedInput + spent.cachedInput,
    output: receipt.tokens.output + spent.output,
  }
  receipt.costUsd += spent.costUsd ?? 0
  receipt.compactions += compactions
  receipt.calls += steps + 1
}

/** Writes messages to the transcript as they come, so that a crash leaves all that was said. */
async function keepAll(
  { db, clock }: TendNeeds,
  run: Run,
  messages: Message[],
  from: number,
): Promise<number> {
  await db.write(async (transaction) => {
    for (const [index, message] of messages.entries())
      await keepMessage(
        transaction,
        { cycle: run.cycle.id, position: from + index, at: clock.now() },
        message,
      )
  })
  return from + messages.length
}

function usedOf(before: Standing, after: Standing): Receipt["windows"] {
  return after.decision.windows.flatMap(({ id, unit, ambient }) => {
    const earlier = before.decision.windows.find((window) => window.id === id)
    if (unit !== "percent" || !earlier) return []
    return [{ id, percent: Math.max(0, Math.round((ambient - earlier.ambient) * 100) / 100) }]
  })
}

/** Ends the cycle: what it took is done, or waits again; its wish is kept; all in one transaction. */
async function finish(needs: TendNeeds, run: Run, signal: AbortSignal): Promise<Cycle> {
  const { db, clock, install } = needs
  const now = clock.now()
  const by = operation(needs)
  if (signal.aborted) run.status = "interrupted"
  else if (run.failure !== undefined) {
    run.status = "incomplete"
    run.receipt.warnings.push(needs.screen.redactSync(String(run.failure)))
  }
  const { status, receipt } = run
  const summary = run.ending?.summary ?? summaryOf(run)
  await db.write(async (transaction) => {
    await endCycle(transaction, { id: run.cycle.id, now }, { status, summary, receipt }, by)
    const ids = run.items.map(({ id }) => id)
    if (status === "complete")
      await finishItems(transaction, { now, cycle: run.cycle.id, outcome: summary }, ids, by)
    else await releaseItems(transaction, { now, cycle: run.cycle.id, pauseMs: pauseAfter(run) }, by)
    const wish = status === "complete" ? (run.ending?.wish ?? null) : null
    const { goodCycles } = await ambientState(transaction, install)
    const good = status === "complete" ? { goodCycles: goodCycles + 1 } : {}
    const state = status === "interrupted" ? {} : { wish, gardenedTo: run.knownTo, ...good }
    await changeAmbientState(transaction, { install, now }, state, {
      ...by,
      kind: "ambient.scheduled",
      data: { wish },
    })
  })
  return { ...run.cycle, status, summary, receipt, endedAt: now, progress: run.progress }
}

function summaryOf({ receipt }: Run): string {
  const done = receipt.deeds.map(({ name, changed }) => `${name} ${changed}`).join(", ")
  return done === "" ? "It came to nothing." : `Did ${done}, and did not finish.`
}

const minuteMs = 60_000

/** What could not be done is tried again, each time after twice as long, at most after a day. */
function pauseAfter({ items, status }: Run): number {
  if (status === "interrupted") return 0
  const attempts = Math.max(1, ...items.map((item) => item.attempts))
  return Math.min(24 * 60, 10 * 2 ** (attempts - 1)) * minuteMs
}

/** Ends a cycle early when its time is up. */
function limitedBy({ clock, config }: TendNeeds, signal: AbortSignal) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  const cancel = clock.after(config.ambient.max_minutes * minuteMs, abort)
  return {
    signal: controller.signal,
    end() {
      cancel()
      signal.removeEventListener("abort", abort)
    },
  }
}
