import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { zoneMinutes } from "../../../../base/clock.ts"
import { count } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { wholeNumber } from "../../option-values.ts"
import { table } from "../../output.ts"

/** `reverie usage` */
export function usageCommand(program: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    program
      .command("usage")
      .description("show calls to models, yours and Reverie's, and their cost")
      .option("--days <n>", "how many days back, today included", wholeNumber(366), 7),
    (client, { days }: { days: number }) => client.usage({ days, zone: zoneMinutes(needs.clock.now()) }),
    (answer) => show(needs, answer),
  )
}

function show({ output }: CliNeeds, { rows, total, days }: Answer<"usage">): void {
  if (rows.length === 0)
    return void output.say(`Neither you nor Reverie called a model in the last ${count(days, "day")}.`)
  const heads = ["day", "source", "model", "calls", "in", "cached", "out", "cost"]
  const lines = rows.map((row) => [
    row.day,
    row.source,
    row.model,
    row.failed > 0 ? `${row.calls} (${row.failed} failed)` : String(row.calls),
    tokens(row.input),
    tokens(row.cachedInput),
    tokens(row.output),
    dollars(row.costUsd),
  ])
  const sum = ["all", "", "", String(total.calls), tokens(total.input), tokens(total.cachedInput)]
  output.data(table([heads, ...lines, [...sum, tokens(total.output), dollars(total.costUsd)]], output.width))
}

function tokens(number: number): string {
  if (number >= 10_000_000) return `${Math.round(number / 1_000_000)}M`
  if (number >= 1_000_000) return `${(number / 1_000_000).toFixed(1)}M`
  return number >= 10_000 ? `${Math.round(number / 1000)}k` : String(number)
}

function dollars(usd: number): string {
  return usd === 0 ? "-" : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`
}
