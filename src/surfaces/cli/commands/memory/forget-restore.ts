import { Argument, type Command } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { personalKinds } from "../../../../memory/model/kinds.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
import { tellChanged } from "../../view/changed.ts"
import { fraction } from "../../view/fraction.ts"
import { collect } from "../../view/view.ts"

/** `reverie memory forget` */
export function forgetCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("forget")
    .description("put memories aside; nothing finds them, `restore` brings them back")
    .argument("<id...>", "their ids, or the beginnings or ends of them")
    .option("--json", "answer in JSON")
    .action(async (ids: string[], options: { json?: boolean }) => {
      tellChanged(needs, await withClient(needs, (client) => client.forget({ ids })), options)
    })
}

/** `reverie memory restore` */
export function restoreCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("restore")
    .description("make forgotten, archived or superseded memories active again, and accept what waits")
    .argument("<id...>")
    .option("--json", "answer in JSON")
    .action(async (ids: string[], options: { json?: boolean }) => {
      const answer = await withClient(needs, (client) => client.restore({ ids }))
      tellChanged(needs, answer, options)
      const isOpen = answer.edges.some(({ after }) => after?.kind === "contradicts")
      if (isOpen && !options.json) {
        needs.output.say("What had replaced it stays too; `reverie memory conflicts` shows both.")
      }
    })
}

/** `reverie memory tag` */
export function tagCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("tag")
    .description("give a memory tags, or take some away")
    .argument("<id>")
    .argument("[tags...]", "tags to add")
    .option("--remove <tag>", "a tag to take away; may be given several times", collect)
    .option("--json", "answer in JSON")
    .action(async (id: string, add: string[], options: { remove?: string[]; json?: boolean }) => {
      const { remove = [] } = options
      if (add.length + remove.length === 0) {
        throw new UserError("usage", "Give tags to add, or --remove TAG.")
      }
      const asked = { ids: [id], add, remove, from: needs.cwd }
      tellChanged(needs, await withClient(needs, (client) => client.tag(asked)), options)
    })
}

interface LinkOptions {
  weight?: number
  remove?: boolean
  json?: boolean
}

/** `reverie memory link` */
export function linkCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("link")
    .description("link two memories, such as: link A supersedes B")
    .argument("<id>")
    .addArgument(new Argument("<kind>", "how the first belongs to the second").choices(personalKinds))
    .argument("<other>")
    .option("--weight <number>", "how strongly, 0 to 1", fraction)
    .option("--remove", "take the link away")
    .option("--json", "answer in JSON")
    .action(
      async (source: string, kind: (typeof personalKinds)[number], target: string, options: LinkOptions) => {
        const { weight, remove = false } = options
        const asked = { source, kind, target, weight, remove }
        tellChanged(needs, await withClient(needs, (client) => client.link(asked)), options)
      },
    )
}
