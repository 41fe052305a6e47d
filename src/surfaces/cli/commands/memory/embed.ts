import type { Command } from "commander"
import type { Client } from "../../../../api/client.ts"
import { sleep } from "../../../../base/clock.ts"
import { UserError } from "../../../../base/errors.ts"
import { count } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
import { openMeter } from "../../view/progress-meter.ts"

/** How often it is asked how many memories still wait. */
const lookMs = 500

/** `reverie memory embed` */
export function embedCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("embed")
    .description("wait until each memory has a vector of the present model, and show how far that is")
    .option("--json", "answer in JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { embedded, model } = await withClient(needs, (client) => untilEmbedded(needs, client))
      if (json) return needs.output.json({ schemaVersion: 1, outcome: "embedded", embedded, model })
      const done = embedded === 0 ? "" : ` ${count(embedded, "memory", "memories")} got one now.`
      needs.output.say(`Each memory has a vector of ${model}.${done}`)
    })
}

/** The daemon gives the vectors; this looks on until none is missing. */
async function untilEmbedded(needs: CliNeeds, client: Client): Promise<{ embedded: number; model: string }> {
  const meter = openMeter(needs, { doing: "Embedding", unit: "memories" })
  let atFirst: number | undefined
  try {
    for (;;) {
      const { daemon, memory } = await client.status()
      const { embedding } = memory
      if (embedding === null)
        throw new UserError(
          "refused",
          "Search is by words alone (embedding.model is none); there is nothing to embed.",
        )
      const missing = (await client.stats()).counts.withoutVector ?? 0
      atFirst ??= missing
      const embedded = Math.max(0, atFirst - missing)
      if (missing === 0) return { embedded, model: embedding.model }
      if (!daemon.running)
        throw new UserError(
          "failed",
          `${count(missing, "memory has", "memories have")} no vector yet; the daemon gives them: \`reverie start\`.`,
        )
      if (embedding.state === "failed")
        throw new UserError(
          "failed",
          `${embedding.reason ?? "The embedder does not work."} \`reverie doctor\` tells more.`,
        )
      meter.tell({ done: embedded, share: embedded / atFirst })
      await sleep(needs.clock, lookMs)
    }
  } finally {
    meter.end()
  }
}
