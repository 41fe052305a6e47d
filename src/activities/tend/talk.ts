import { budgetStatus, type Standing } from "../../attention/budget-status.ts"
import { keepMessage, keepProgress, type Receipt } from "../../attention/cycles.ts"
import { isoTime } from "../../base/clock.ts"
import type { Message } from "../../llm/choice/access.ts"
import type { Models } from "../../llm/choice/models.ts"
import { poolName, poolOf } from "../../llm/limits/pools.ts"
import type { GardenReport } from "../../memory/garden/garden.ts"
import { markAsked } from "../../memory/garden/marks.ts"
import { eachText } from "../../memory/model/screen-memory.ts"
import { guardedTools } from "./cycle-tools.ts"
import { type CycleView, continuation, cyclePrompt, systemPrompt } from "./prompts.ts"
import type { Before, Run, TendNeeds } from "./run.ts"
import { markBroughtUp } from "./scout/look-around.ts"

/** Has the cycle's conversation with the gardener's model, if one may be asked now. */
export async function talk(
  needs: TendNeeds,
  run: Run,
  before: Before,
  report: GardenReport,
  signal: AbortSignal,
): Promise<void> {
  const { chosen, why } = await needs.models.choose("gardener")
  const standing = chosen && (await budgetStatus(needs, poolOf(chosen.access), chosen.model))
  if (!chosen || !standing || standing.cycleTokens <= 0) {
    if (run.items.length === 0) return
    run.status = "incomplete"
    run.receipt.warnings.push(`Nobody could be asked: ${chosen ? standing?.decision.reason : why}`)
    return
  }
  run.hasAsked = true
  run.progress = { ...run.progress, phase: "talking" }
  await needs.db.write((transaction) =>
    keepProgress(transaction, run.cycle.id, { progress: run.progress, model: chosen }),
  )
  const view = await viewOf(needs, run, before, report, standing)
  await converseToTheEnd(needs, run, view, standing, signal)
  if (run.wasHeard) {
    await markAsked(needs.db, report.open, needs.clock.now())
    await markBroughtUp(needs, run)
  }
  const after = await budgetStatus(needs, poolOf(chosen.access), chosen.model)
  run.receipt.windows = usedOf(standing, after)
}

async function viewOf(
  needs: TendNeeds,
  run: Run,
  { lastCycle, level }: Before,
  report: GardenReport,
  standing: Standing,
): Promise<CycleView> {
  const scouted = await needs.scout(lastCycle?.startedAt ?? null, run.excluded.unseen)
  return {
    ...scouted,
    now: needs.clock.now(),
    lastCycle: lastCycle
      ? { at: lastCycle.endedAt ?? lastCycle.startedAt, summary: lastCycle.summary, status: lastCycle.status }
      : null,
    leftOver: run.progress.todos.map(({ text }) => text),
    trigger: run.cycle.trigger,
    queue: run.items,
    gardened: run.receipt.deeds,
    open: report.open,
    gaps: report.gaps,
    awayMs: awayBefore(needs, run, lastCycle),
    level,
    candidates: run.candidates,
    budget: {
      provider: poolName(standing.pool),
      windows: standing.decision.windows.map(
        ({ id, remaining, unit, resetsAt }) =>
          `${id}: ${Math.round(remaining)} ${unit} left${resetsAt == null ? "" : `, anew at ${isoTime(resetsAt)}`}`,
      ),
      tokens: standing.cycleTokens,
    },
  }
}

/** More than twice the longest interval without a cycle means that nobody was there to begin one. */
function awayBefore({ config }: TendNeeds, run: Run, last: Before["lastCycle"]): number | null {
  if (last?.endedAt == null) return null
  const gap = run.cycle.startedAt - last.endedAt
  return gap > 2 * config.budget.max_interval_minutes * 60_000 ? gap : null
}

const maxOutputTokens = 8000

/** Talks until the agent ends the cycle; one that stops before is asked once to go on, then it is over. */
async function converseToTheEnd(
  needs: TendNeeds,
  run: Run,
  view: CycleView,
  standing: Standing,
  signal: AbortSignal,
): Promise<void> {
  const tools = guardedTools(needs, run, quotesOthers(view))
  let messages: Message[] = [{ role: "user", text: cyclePrompt(view) }]
  let position = await keepAll(needs, run, messages, 0)
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
          tokens: Math.max(0, standing.cycleTokens - tokens.input - tokens.output),
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
    const { end } = conversed
    if (end.reason !== "failed" && end.reason !== "aborted") run.wasHeard = true
    if (run.ending) return noteWake(run)
    if (end.reason === "failed") run.receipt.warnings.push(end.failure.message)
    if (end.reason === "tokens" || end.reason === "time")
      run.receipt.warnings.push(`It was stopped: its ${end.reason} ran out.`)
    if (attempt === "again" || (end.reason !== "answered" && end.reason !== "cut-off")) break
    const reminder: Message = { role: "user", text: continuation }
    messages = [...conversed.messages, reminder]
    position = await keepAll(needs, run, [reminder], position)
    steps = Math.max(1, steps - conversed.steps)
  }
  run.status = "incomplete"
  run.receipt.warnings.push("The agent did not end its cycle; it is woken again after the longest interval.")
}

/** An agent that does not say when it wants to be woken is woken after the longest interval, and it is noted. */
function noteWake(run: Run): void {
  if (run.ending?.wake === null)
    run.receipt.warnings.push("The agent named no next wake; it is woken after the longest interval.")
}

/** Whether the prompt holds what others wrote: titles of sessions, branches, commits, files and tests. */
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
  // An answer without a call is no step.
  receipt.calls += steps + (end.reason === "answered" || end.reason === "cut-off" ? 1 : 0)
}

/** Writes messages to the transcript as they come, so that a crash leaves all that was said. */
async function keepAll(
  { db, clock, screen }: TendNeeds,
  run: Run,
  messages: Message[],
  from: number,
): Promise<number> {
  const at = clock.now()
  const screened = (await eachText(messages, screen.redact)) as Message[]
  await db.write(async (transaction) => {
    for (const [index, message] of screened.entries())
      await keepMessage(transaction, { cycle: run.cycle.id, position: from + index, at }, message)
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
