import type { Command } from "commander"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { cycleRows, cycleText, transcriptText } from "../../view/cycle.ts"
import { wholeNumber } from "../../whole-number.ts"

/** `reverie cycles …` */
export function cyclesCommand(program: Command, needs: CliNeeds): void {
  const cycles = program.command("cycles").description("what tending did, cycle by cycle, the newest first")
  cycles
    .command("list", { isDefault: true })
    .description("list the newest cycles")
    .option("--limit <number>", "how many at most, 1 to 500", wholeNumber(500), 20)
    .option("--json", "answer in JSON")
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const answer = await withClient(needs, (client) => client.cycles({ limit }))
      if (json) return needs.output.json(answer)
      if (answer.cycles.length === 0) return needs.output.say("No cycle has run yet.")
      needs.output.data(table(cycleRows(needs, answer.cycles), needs.output.width))
    })
  cycles
    .command("show")
    .description("show one cycle: what it did, what it cost, and how to undo it")
    .argument("<id>", "its id, or the beginning or end of it")
    .option("--transcript", "also what was said in it")
    .option("--json", "answer in JSON")
    .action(async (id: string, { transcript, json }: { transcript?: boolean; json?: boolean }) => {
      const cycle = await withClient(needs, (client) => client.cycle(id))
      if (json) return needs.output.json(cycle)
      needs.output.data(cycleText(needs, cycle))
      if (!transcript) return
      if (cycle.messages.length === 0) needs.output.say("\nNothing was said: no model was asked.")
      else needs.output.data(`\n${transcriptText(needs, cycle)}`)
    })
  judging(cycles, needs, "approve", "approved", "say that a cycle did well, so that the next ones know")
  judging(cycles, needs, "reject", "rejected", "say that a cycle did badly; `undo CYCLE` also takes it back")
}

function judging(
  cycles: Command,
  needs: CliNeeds,
  name: string,
  verdict: "approved" | "rejected",
  description: string,
): void {
  cycles
    .command(name)
    .description(description)
    .argument("<id>", "its id, or the beginning or end of it")
    .option("--because <text>", "why, in your words")
    .option("--json", "answer in JSON")
    .action(async (id: string, { because, json }: { because?: string; json?: boolean }) => {
      const asked = { verdict, from: needs.cwd, ...(because === undefined ? {} : { reason: because }) }
      const cycle = await withClient(needs, (client) => client.judgeCycle(id, asked))
      if (json) return needs.output.json(cycle)
      needs.output.say(`Noted: ${cycle.id} is ${verdict}; the next cycles are told so.`)
    })
}
