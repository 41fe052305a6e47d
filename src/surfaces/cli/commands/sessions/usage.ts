import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { zoneMinutes } from "../../../../base/clock.ts"
import { count } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { wholeNumber } from "../../whole-number.ts"

interface Options {
  days?: number
  json?: boolean
}

/** `reverie usage` */
export function usageCommand(program: Command, needs: CliNeeds): void {
  program
    .command("usage")
    .description("show what models were asked, by you and by Reverie, and what it cost")
    .option("--days <n>", "how many days back, today included", wholeNumber(366), 7)
    .option("--json", "answer in JSON")
    .action(async ({ days, json }: Options) => {
      const zone = zoneMinutes(needs.clock.now())
      const answer = await withClient(needs, (client) => client.usage({ days, zone }))
      if (json) return needs.output.json(answer)
      show(needs, answer)
    })
}

function show({ output }: CliNeeds, { rows, total, days }: Answer<"usage">): void {
  if (rows.length === 0) {
    output.say(`No model was asked in the last ${count(days, "day")}, by you or by Reverie.`)
    return
  }
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
