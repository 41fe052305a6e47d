import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { WindowJson } from "../../../../api/contract/tending-answers.ts"
import { count } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import type { Output } from "../../output.ts"
import { budgetBar } from "../../view/budget-bar.ts"
import { inTime, timeAgo } from "../../view/times.ts"

/** `reverie budget` */
export function budgetCommand(program: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    program
      .command("budget")
      .description("show what is left of each limit, what may be spent now, and when next"),
    (client) => client.budget(),
    (answer) => show(needs, answer),
  )
}

function show({ output, clock }: CliNeeds, answer: Answer<"budget">): void {
  const now = clock.now()
  if (answer.pool !== null && answer.model !== null) {
    const model = `${answer.model.access}/${answer.model.model}`
    output.data(`${output.paint("bold", answer.poolName ?? "")} · ${model}`)
    for (const window of answer.windows) output.data(windowLine(output, window, now))
    if (answer.windows.length === 0) output.data("Nothing is known about its limits yet.")
  }
  output.data(allowed(answer, now))
  for (const { poolName, windows } of answer.others) {
    output.data(`\n${output.paint("bold", poolName)} · not used by Reverie now`)
    for (const window of windows) output.data(windowLine(output, window, now))
  }
}

function allowed({ pool, mayRun, cycleTokens, reason, nextAt }: Answer<"budget">, now: number): string {
  if (pool === null) return reason
  const next = nextAt === null ? "" : ` Next cycle ${inTime(nextAt, now)}.`
  const may = mayRun
    ? `A cycle may run, with ${count(cycleTokens, "token")} at most.`
    : "No cycle may run now."
  return `${may} ${reason}${next}`
}

const barWidth = 30

/** One limit: the user's share, Reverie's share, what is left, and when it resets. */
function windowLine(output: Output, window: WindowJson, now: number): string {
  const { capacity, user, ambient, remaining, unit } = window
  const bar = budgetBar(output, { user, ambient, capacity }, barWidth)
  const parts = `you ${amount(user, unit)}, Reverie ${amount(ambient, unit)}, left ${amount(remaining, unit)}`
  const read =
    window.readAt === null
      ? ""
      : `; read ${timeAgo(window.readAt, now)} from ${sourceNames[window.learnedFrom ?? ""] ?? "the provider"}`
  return `${window.id.padEnd(8)} ${bar}  ${parts}; resets ${inTime(window.resetsAt, now)}${read}`
}

function amount(value: number, unit: string): string {
  if (unit === "percent") return `${Math.round(value)} %`
  if (unit === "usd") return `$${value.toFixed(2)}`
  return `${Math.round(value)}`
}

const sourceNames: Record<string, string> = {
  headers: "an answer",
  transcript: "your transcripts",
  statusline: "your status line",
  refusal: "a refusal",
}
