import type { Command } from "commander"
import type { UndoAnswer } from "../../../api/contract.ts"
import { UserError } from "../../../base/errors.ts"
import { count, shorten } from "../../../base/text.ts"
import type { CliNeeds } from "../needs.ts"
import { table } from "../output.ts"
import { withClient } from "../session.ts"

/** `reverie undo` */
export function undoCommand(program: Command, needs: CliNeeds): void {
  program
    .command("undo")
    .description("take back the last change, the one named, or all that a cycle did")
    .argument("[operation]", "an operation's id, as --list shows it, or a cycle's")
    .option("--list", "show what was done, newest first")
    .option("--json", "answer in JSON")
    .action(async (operation: string | undefined, options: { list?: boolean; json?: boolean }) => {
      if (options.list && operation !== undefined)
        throw new UserError(
          "usage",
          "--list shows what was done and undoes nothing; leave it out, or the id.",
        )
      if (options.list) return listOperations(needs, options.json ?? false)
      const undone = await withClient(needs, (client) => client.undo(operation))
      if (options.json) return needs.output.json(undone)
      tell(needs, undone)
    })
}

function tell({ output }: CliNeeds, undone: UndoAnswer): void {
  const [what, next] =
    "broughtBack" in undone
      ? ["Brought back what was undone", "undoes it again"]
      : ["Undone", "brings it back"]
  output.say(`${what}: ${shorten(undone.summary, 100)}`)
  output.say(`(${count(undone.changes, "change")}; \`reverie undo ${undone.operation}\` ${next}.)`)
  if ("kept" in undone) for (const { reason } of undone.kept) output.say(`Kept: ${reason}`)
}

async function listOperations(needs: CliNeeds, json: boolean): Promise<void> {
  const answer = await withClient(needs, (client) => client.operations({ limit: 20 }))
  if (json) return needs.output.json(answer)
  if (answer.operations.length === 0) return needs.output.say("Nothing was changed yet.")
  const rows = answer.operations.map((one) => [
    one.operation,
    one.at,
    one.undoes ? `undid ${one.undoes}` : one.kind,
    count(one.changes, "memory", "memories"),
    one.undone ? "undone" : "",
  ])
  needs.output.data(table(rows))
}
