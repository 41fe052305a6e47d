import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { FadingJson } from "../../../../api/contract/memory-answers.ts"
import { count, shorten } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { limitOption } from "../../option-values.ts"
import { table } from "../../output.ts"

/** `reverie memory prune` */
export function pruneCommand(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    memory
      .command("prune")
      .description("archive memories that have expired; `restore` brings them back")
      .option("--dry-run", "only show what would be archived")
      .addOption(limitOption(1000, 200)),
    async (client, { dryRun, limit }: { dryRun?: boolean; limit: number }) =>
      dryRun ? client.fading({ limit }) : client.prune({ limit }),
    (answer) => ("memories" in answer ? showPruned(needs, answer) : showFading(needs, answer)),
  )
}

function showFading(needs: CliNeeds, answer: Answer<"fading">): void {
  const row = (state: string) => (memory: FadingJson) => [
    ...[memory.id, state, memory.confidenceNow.toFixed(3), shorten(memory.content, 200)],
  ]
  const rows = [...answer.expired.map(row("expired")), ...answer.faint.map(row("faint"))]
  if (rows.length > 0) needs.output.data(table(rows, needs.output.width))
  const { expired, faint } = answer.counts
  needs.output.say(
    `${count(expired, "memory", "memories")} would be archived; ${faint} more may be archived by hand.`,
  )
}

function showPruned(needs: CliNeeds, answer: Answer<"prune">): void {
  const archived = count(answer.memories.length, "memory", "memories")
  needs.output.say(
    answer.memories.length === 0
      ? "Nothing has expired."
      : `Archived ${archived}. \`reverie undo\` undoes it.`,
  )
  for (const { id } of answer.memories) needs.output.data(id)
  const { expired, faint } = answer.counts
  if (expired > 0) needs.output.say(`${expired} more have expired; run it again.`)
  if (faint > 0) needs.output.say(`${faint} more are faint; \`memory prune --dry-run\` shows them.`)
}
