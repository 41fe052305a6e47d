import { type Command, Option } from "commander"
import { visible } from "../../../base/text.ts"
import { keeps } from "../../../memory/kinds.ts"
import { tellChanged } from "../changed.ts"
import type { CliNeeds } from "../needs.ts"
import { withClient } from "../session.ts"
import { type ViewOptions, view, viewOptions } from "../view.ts"
import { wholeNumber } from "../whole-number.ts"

/** `reverie memory conflicts` */
export function conflictsCommand(memory: Command, needs: CliNeeds): void {
  viewOptions(
    memory.command("conflicts").description("show memories that contradict each other, newest first"),
  )
    .option("--limit <number>", "how many at most, 1 to 1000", wholeNumber(1000), 100)
    .action(async (options: ViewOptions & { limit: number }) => {
      const asked = { ...view(needs, options), limit: options.limit }
      const answer = await withClient(needs, (client) => client.conflicts(asked))
      if (options.json) return needs.output.json(answer)
      for (const { memories } of answer.conflicts) {
        const lines = memories.map((one) => {
          const head = `${needs.output.paint("dim", one.id)}  ${one.createdAt.slice(0, 10)}  ${one.label ?? one.source}`
          return `${head}\n  ${visible(one.content).replaceAll("\n", "\n  ")}`
        })
        needs.output.data(`${lines.join("\n")}\n`)
      }
      if (answer.conflicts.length === 0) return needs.output.say("Nothing contradicts anything here.")
      needs.output.say("Decide with `reverie memory resolve ID --keep this`, `other` or `both`.")
    })
}

interface ResolveOptions {
  keep: (typeof keeps)[number]
  json?: boolean
}

/** `reverie memory resolve` */
export function resolveCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("resolve")
    .description("decide a conflict: one memory replaces the other, or both hold")
    .argument("<id>")
    .argument("[other]", "the memory it contradicts, if there are several")
    .addOption(new Option("--keep <which>", "what holds from now on").choices(keeps).makeOptionMandatory())
    .option("--json", "answer in JSON")
    .action(async (id: string, other: string | undefined, options: ResolveOptions) => {
      const asked = { id, other, keep: options.keep }
      tellChanged(needs, await withClient(needs, (client) => client.resolve(asked)), options)
    })
}
