import type { Command } from "commander"
import type { Client } from "../../../../api/client.ts"
import { sleep } from "../../../../base/clock.ts"
import { UserError } from "../../../../base/errors.ts"
import { count } from "../../../../base/text/text.ts"
import { withClient } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { openMeter } from "../../view/progress-meter.ts"

/** How often the number of missing vectors is read. */
const pollMs = 500

/** `reverie memory embed` */
export function embedCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("embed")
    .description("wait until every memory has a vector of the current model, and show the progress")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { embedded, model } = await withClient(needs, (client) => untilEmbedded(needs, client))
      if (json) return needs.output.json({ schemaVersion: 1, outcome: "embedded", embedded, model })
      const done = embedded === 0 ? "" : ` ${count(embedded, "memory", "memories")} got one just now.`
      needs.output.say(`Every memory has a vector of ${model}.${done}`)
    })
}

/** Waits until none is missing; the daemon computes the vectors. */
async function untilEmbedded(needs: CliNeeds, client: Client): Promise<{ embedded: number; model: string }> {
  const meter = openMeter(needs, { doing: "Embedding", unit: "memories" })
  let missingAtStart: number | undefined
  try {
    for (;;) {
      const { daemon, memory } = await client.status()
      const { embedding } = memory
      if (embedding === null)
        throw new UserError("refused", "embedding.model is none, so memories have no vectors.")
      const missing = (await client.stats()).counts.withoutVector ?? 0
      missingAtStart ??= missing
      const embedded = Math.max(0, missingAtStart - missing)
      if (missing === 0) return { embedded, model: embedding.model }
      if (!daemon.running)
        throw new UserError(
          "failed",
          `${count(missing, "memory has", "memories have")} no vector yet. The daemon computes them; start it with \`reverie start\`.`,
        )
      if (embedding.state === "failed")
        throw new UserError(
          "failed",
          `${embedding.reason ?? "The embedder does not work."} \`reverie doctor\` says more.`,
        )
      meter.update({ done: embedded, share: embedded / missingAtStart })
      await sleep(needs.clock, pollMs)
    }
  } finally {
    meter.end()
  }
}
