import { Argument, type Command } from "commander"
import type { FadingJson } from "../../../../api/contract/memory-answers.ts"
import { count, shorten } from "../../../../base/text/text.ts"
import { ratings } from "../../../../memory/model/kinds.ts"
import { calledAs } from "../../called.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { tellChanged } from "../../view/changed.ts"
import { wholeNumber } from "../../whole-number.ts"

/** `reverie memory rate` */
export function rateCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("rate")
    .description("say whether a memory helped; it is believed more or less from then on")
    .argument("<id>")
    .addArgument(new Argument("<rating>").choices(ratings))
    .option("--json", "answer in JSON")
    .action(async (id: string, rating: (typeof ratings)[number], options: { json?: boolean }) => {
      tellChanged(needs, await withClient(needs, (client) => client.rate({ id, rating })), options)
    })
}

interface PruneOptions {
  dryRun?: boolean
  limit: number
  json?: boolean
}

/** `reverie memory prune` */
export function pruneCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("prune")
    .description("archive memories that have expired; `restore` brings them back")
    .option("--dry-run", "only show what would be archived")
    .option("--limit <number>", "how many at most, 1 to 1000", wholeNumber(1000), 200)
    .option("--json", "answer in JSON")
    .action((options: PruneOptions) => (options.dryRun ? showFading(needs, options) : prune(needs, options)))
}

async function showFading(needs: CliNeeds, options: PruneOptions): Promise<void> {
  const answer = await withClient(needs, (client) => client.fading({ limit: options.limit }))
  if (options.json) return needs.output.json(answer)
  const rows = [
    ...answer.expired.map((one) => row(one, "expired")),
    ...answer.faint.map((one) => row(one, "faint")),
  ]
  if (rows.length > 0) needs.output.data(table(rows, needs.output.width))
  const { expired, faint } = answer.counts
  needs.output.say(
    `${count(expired, "memory", "memories")} would be archived; ${faint} more may be archived by hand.`,
  )
}

function row({ id, confidenceNow, content }: FadingJson, what: string): string[] {
  return [id, what, confidenceNow.toFixed(3), shorten(content, 200)]
}

async function prune(needs: CliNeeds, options: PruneOptions): Promise<void> {
  const answer = await withClient(needs, (client) => client.prune({ limit: options.limit }))
  if (options.json) return needs.output.json(answer)
  if (answer.memories.length === 0) needs.output.say("Nothing has expired.")
  else {
    const archived = count(answer.memories.length, "memory", "memories")
    needs.output.say(`Archived ${archived}. \`${calledAs(needs.env.command)} undo\` takes it back.`)
  }
  for (const { id } of answer.memories) needs.output.data(id)
  const { expired, faint } = answer.counts
  if (expired > 0) needs.output.say(`${expired} more are expired; run it again.`)
  if (faint > 0) needs.output.say(`${faint} more are faint; \`memory prune --dry-run\` shows them.`)
}
