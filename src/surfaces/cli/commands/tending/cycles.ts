import type { Command } from "commander"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { idHelp, limitOption } from "../../option-values.ts"
import { table } from "../../output.ts"
import { cycleRows, cycleText, transcriptText } from "../../view/cycle.ts"

/** `reverie cycles …` */
export function cyclesCommand(program: Command, needs: CliNeeds): void {
  const { output } = needs
  const cycles = program.command("cycles").description("show what tending did, cycle by cycle")
  apiCommand(
    needs,
    cycles
      .command("list", { isDefault: true })
      .description("list the newest cycles")
      .addOption(limitOption(500, 20)),
    (client, { limit }: { limit: number }) => client.cycles({ limit }),
    (answer) => {
      if (answer.cycles.length === 0) return output.say("No cycle has run yet.")
      output.data(table(cycleRows(needs, answer.cycles), output.width))
    },
  )
  apiCommand(
    needs,
    cycles
      .command("show")
      .description("show one cycle: what it did, what it cost, and how to undo it")
      .argument("<id>", idHelp)
      .option("--transcript", "also show its messages"),
    (client, id: string, _options: { transcript?: boolean }) => client.cycle(id),
    (cycle, _id, { transcript }) => {
      output.data(cycleText(needs, cycle))
      if (!transcript) return
      if (cycle.messages.length === 0) output.say("\nThere are no messages: no model was asked.")
      else output.data(`\n${transcriptText(needs, cycle)}`)
    },
  )
  for (const [name, verdict, description] of [
    ["approve", "approved", "say that a cycle did well; later cycles see it"],
    ["reject", "rejected", "say that a cycle did badly; later cycles see it, and `undo CYCLE` undoes it"],
  ] as const)
    apiCommand(
      needs,
      cycles
        .command(name)
        .description(description)
        .argument("<id>", idHelp)
        .option("--because <text>", "why, in your words"),
      (client, id: string, { because: reason }: { because?: string }) =>
        client.judgeCycle(id, { verdict, from: needs.cwd, reason }),
      (cycle) => output.say(`Noted: ${cycle.id} is ${verdict}; later cycles see it.`),
    )
}
