import { Argument, type Command } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { ratings, userEdgeKinds } from "../../../../memory/model/kinds.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { collect, fraction, idHelp } from "../../option-values.ts"
import { printChanges } from "../../view/changed.ts"

/** `reverie memory forget`, `restore`, `tag`, `link` and `rate`: changes that `undo` takes back. */
export function changeCommands(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    memory
      .command("forget")
      .description("hide memories; nothing finds them until `restore` brings them back")
      .argument("<id...>", "their ids, or the beginnings or ends of them"),
    (client, ids: string[]) => client.forget({ ids }),
    (answer) => printChanges(needs, answer),
  )
  apiCommand(
    needs,
    memory
      .command("restore")
      .description(
        "make forgotten, archived or superseded memories active again, and accept quarantined ones",
      )
      .argument("<id...>"),
    (client, ids: string[]) => client.restore({ ids }),
    (answer) => {
      printChanges(needs, answer)
      if (answer.edges.some(({ after }) => after?.kind === "contradicts"))
        needs.output.say("Its replacement stays active too; `reverie memory conflicts` shows both.")
    },
  )
  apiCommand(
    needs,
    memory
      .command("tag")
      .description("add tags to a memory, or remove some")
      .argument("<id>", idHelp)
      .argument("[tags...]", "tags to add")
      .option("--remove <tag>", "a tag to remove; repeatable", collect),
    (client, id: string, add: string[], { remove = [] }: { remove?: string[] }) => {
      if (add.length + remove.length === 0) throw new UserError("usage", "Give tags to add, or --remove TAG.")
      return client.tag({ ids: [id], add, remove, from: needs.cwd })
    },
    (answer) => printChanges(needs, answer),
  )
  linkCommand(memory, needs)
  apiCommand(
    needs,
    memory
      .command("rate")
      .description("say whether a memory helped; this raises or lowers its confidence")
      .argument("<id>", idHelp)
      .addArgument(new Argument("<rating>").choices(ratings)),
    (client, id: string, rating: (typeof ratings)[number]) => client.rate({ id, rating }),
    (answer) => printChanges(needs, answer),
  )
}

type EdgeKind = (typeof userEdgeKinds)[number]

interface LinkOptions {
  weight?: number
  remove?: boolean
}

function linkCommand(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    memory
      .command("link")
      .description("link two memories, such as: link A supersedes B")
      .argument("<id>", idHelp)
      .addArgument(new Argument("<kind>", "how the first relates to the second").choices(userEdgeKinds))
      .argument("<other>")
      .option("--weight <number>", "how strong the link is, 0 to 1", fraction)
      .option("--remove", "remove the link"),
    (client, source: string, kind: EdgeKind, target: string, { weight, remove }: LinkOptions) =>
      client.link({ source, kind, target, weight, remove }),
    (answer) => printChanges(needs, answer),
  )
}
