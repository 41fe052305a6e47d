import { type BudgetStatus, budgetStatus } from "../../attention/budget-status.ts"
import { type Receipt, saveMessage, saveProgress } from "../../attention/cycles.ts"
import { isoTime } from "../../base/clock.ts"
import type { Message } from "../../llm/choice/access.ts"
import type { Models } from "../../llm/choice/models.ts"
import { poolName, poolOf } from "../../llm/limits/pools.ts"
import type { GardenReport } from "../../memory/garden/garden.ts"
import { markAsked } from "../../memory/garden/marks.ts"
import { cleanDeep } from "../../memory/model/screen-memory.ts"
import { guardedTools } from "./cycle-tools.ts"
import { type CycleView, continuation, cyclePrompt, systemPrompt } from "./prompts.ts"
import type { CycleStart, Run, TendNeeds } from "./run.ts"
import { markSuggested } from "./scout/find-work.ts"

/** Holds the cycle's conversation with the gardener's model, if one may be asked now. */
export async function converseWithModel(
  needs: TendNeeds,
  run: Run,
  before: CycleStart,
  report: GardenReport,
  signal: AbortSignal,
): Promise<void> {
  const { chosen, why } = await needs.models.choose("gardener")
  const status = chosen && (await budgetStatus(needs, poolOf(chosen.access), chosen.model))
  if (!chosen || !status || status.cycleTokens <= 0) {
    if (run.items.length === 0) return
    run.status = "incomplete"
    run.receipt.warnings.push(`No model could be asked: ${chosen ? status?.decision.reason : why}`)
    return
  }
  run.hasAsked = true
  run.progress = { ...run.progress, phase: "talking" }
  await needs.db.write((transaction) =>
    saveProgress(transaction, run.cycle.id, { progress: run.progress, model: chosen }),
  )
  const view = await viewOf(needs, run, before, report, status)
  await converseToTheEnd(needs, run, view, status, signal)
  if (run.modelFinished) {
    await markAsked(needs.db, report.open, needs.clock.now())
    await markSuggested(needs, run)
  }
  const after = await budgetStatus(needs, poolOf(chosen.access), chosen.model)
  run.receipt.windows = usedOf(status, after)
}

async function viewOf(
  needs: TendNeeds,
  run: Run,
  { lastCycle, level }: CycleStart,
  report: GardenReport,
  status: BudgetStatus,
): Promise<CycleView> {
  const scouted = await needs.scout(lastCycle?.startedAt ?? null, run.excluded.unseen)
  return {
    ...scouted,
    now: needs.clock.now(),
    lastCycle: lastCycle
      ? { at: lastCycle.endedAt ?? lastCycle.startedAt, summary: lastCycle.summary, status: lastCycle.status }
      : null,
    unfinishedTodos: run.progress.todos.map(({ text }) => text),
    trigger: run.cycle.trigger,
    queue: run.items,
    changes: run.receipt.deeds,
    open: report.open,
    gaps: report.gaps,
    awayMs: awayBefore(needs, run, lastCycle),
    level,
    candidates: run.candidates,
    budget: {
      provider: poolName(status.pool),
      windows: status.decision.windows.map(
        ({ id, remaining, unit, resetsAt }) =>
          `${id}: ${Math.round(remaining)} ${unit} left${resetsAt == null ? "" : `, resets at ${isoTime(resetsAt)}`}`,
      ),
      tokens: status.cycleTokens,
    },
  }
}

/** A gap of more than twice the longest interval means that the machine was off or asleep. */
function awayBefore({ config }: TendNeeds, run: Run, last: CycleStart["lastCycle"]): number | null {
  if (last?.endedAt == null) return null
  const gap = run.cycle.startedAt - last.endedAt
  return gap > 2 * config.budget.max_interval_minutes * 60_000 ? gap : null
}

const maxOutputTokens = 8000

/** Converses until the agent ends the cycle. If it stops earlier, it is reminded once. */
async function converseToTheEnd(
  needs: TendNeeds,
  run: Run,
  view: CycleView,
  status: BudgetStatus,
  signal: AbortSignal,
): Promise<void> {
  const tools = guardedTools(needs, run, quotesOthers(view))
  let messages: Message[] = [{ role: "user", text: cyclePrompt(view) }]
  let position = await saveMessages(needs, run, messages, 0)
  let steps = needs.config.ambient.max_steps
  for (const attempt of ["first", "again"] as const) {
    const { tokens } = run.receipt
    const conversed = await needs.models.converse(
      "gardener",
      {
        system: systemPrompt(),
        messages,
        ...tools,
        maxOutputTokens,
        limits: {
          steps,
          calls: steps * 3,
          tokens: Math.max(0, status.cycleTokens - tokens.input - tokens.output),
          wallMs: needs.config.ambient.max_minutes * 60_000,
        },
        signal,
        onMessage: async (message) => {
          position = await saveMessages(needs, run, [message], position)
        },
      },
      { source: "ambient", cycle: run.cycle.id },
    )
    addUp(run.receipt, conversed)
    const { end } = conversed
    if (end.reason !== "failed" && end.reason !== "aborted") run.modelFinished = true
    if (run.ending) return noteWake(run)
    if (end.reason === "failed") run.receipt.warnings.push(end.failure.message)
    if (end.reason === "tokens" || end.reason === "time")
      run.receipt.warnings.push(`It was stopped: its ${end.reason} ran out.`)
    if (attempt === "again" || (end.reason !== "answered" && end.reason !== "cut-off")) break
    const reminder: Message = { role: "user", text: continuation }
    messages = [...conversed.messages, reminder]
    position = await saveMessages(needs, run, [reminder], position)
    steps = Math.max(1, steps - conversed.steps)
  }
  run.status = "incomplete"
  run.receipt.warnings.push("The agent did not end its cycle; it is woken again after the longest interval.")
}

/** Warns if the agent did not say when it wants to be woken: it is woken after the longest interval. */
function noteWake(run: Run): void {
  if (run.ending?.wake === null)
    run.receipt.warnings.push("The agent named no next wake; it is woken after the longest interval.")
}

/** Whether the prompt contains untrusted text: titles of sessions, branches, commits, files and tests. */
function quotesOthers({ sessions, repositories, candidates }: CycleView): boolean {
  return repositories.length + candidates.length > 0 || sessions.some(({ title }) => title !== null)
}

function addUp(receipt: Receipt, conversed: Awaited<ReturnType<Models["converse"]>>): void {
  const { spent, compactions, steps, end } = conversed
  receipt.tokens = {
    input: receipt.tokens.input + spent.input,
    cachedInput: receipt.tokens.cachedInput + spent.cachedInput,
    output: receipt.tokens.output + spent.output,
  }
  receipt.costUsd += spent.costUsd ?? 0
  receipt.compactions += compactions
  // An answer without a call is not a step.
  receipt.calls += steps + (end.reason === "answered" || end.reason === "cut-off" ? 1 : 0)
}

/** Writes messages to the transcript as they come, so that a crash loses none. */
async function saveMessages(
  { db, clock, screen }: TendNeeds,
  run: Run,
  messages: Message[],
  from: number,
): Promise<number> {
  const at = clock.now()
  const screened = (await cleanDeep(messages, screen.redact)) as Message[]
  await db.write(async (transaction) => {
    for (const [index, message] of screened.entries())
      await saveMessage(transaction, { cycle: run.cycle.id, position: from + index, at }, message)
  })
  return from + messages.length
}

function usedOf(before: BudgetStatus, after: BudgetStatus): Receipt["windows"] {
  return after.decision.windows.flatMap(({ id, unit, ambient }) => {
    const earlier = before.decision.windows.find((window) => window.id === id)
    if (unit !== "percent" || !earlier) return []
    return [{ id, percent: Math.max(0, Math.round((ambient - earlier.ambient) * 100) / 100) }]
  })
}
