import { type Command, Option } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { visible } from "../../../../base/text/text.ts"
import { keeps } from "../../../../memory/model/kinds.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
import { tellChanged } from "../../view/changed.ts"
import { type ViewOptions, view, viewOptions } from "../../view/view.ts"
import { wholeNumber } from "../../whole-number.ts"

/** `reverie conflicts` and `reverie resolve` */
export function conflictsCommands(program: Command, needs: CliNeeds): void {
  conflictsCommand(program, needs)
  resolveCommand(program, needs)
}

/** `reverie memory conflicts`, also `reverie conflicts` */
export function conflictsCommand(memory: Command, needs: CliNeeds): void {
  viewOptions(
    memory
      .command("conflicts")
      .description("show memories that contradict each other, or that a newer one may replace; newest first"),
  )
    .option("--limit <number>", "how many at most, 1 to 1000", wholeNumber(1000), 100)
    .action(async (options: ViewOptions & { limit: number }) => {
      const asked = { ...view(needs, options), limit: options.limit }
      const answer = await withClient(needs, (client) => client.conflicts(asked))
      if (options.json) return needs.output.json(answer)
      for (const { kind, memories } of answer.conflicts) {
        const lines = memories.map((one) => {
          const head = `${needs.output.paint("dim", one.id)}  ${one.createdAt.slice(0, 10)}  ${one.label ?? one.source}`
          return `${head}\n  ${visible(one.content).replaceAll("\n", "\n  ")}`
        })
        const [newer = "", older = ""] = lines
        const doubt = kind === "may-replace" ? "  may replace:\n" : ""
        needs.output.data(`${newer}\n${doubt}${older}\n`)
      }
      if (answer.conflicts.length === 0) return needs.output.say("No conflicts.")
      needs.output.say("Decide with `reverie resolve ID OTHER --keep ID`, or `--keep both`.")
    })
}

interface ResolveOptions {
  keep: string
  json?: boolean
}

/** `reverie memory resolve`, also `reverie resolve` */
export function resolveCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("resolve")
    .description("decide a conflict: one memory replaces the other, or both hold")
    .argument("<id>")
    .argument("[other]", "the memory it contradicts, if there are several")
    .addOption(keepOption())
    .option("--json", "answer in JSON")
    .action(async (id: string, other: string | undefined, options: ResolveOptions) => {
      const asked = { id, other, keep: keepOf(options.keep, id, other) }
      const answer = await withClient(needs, (client) => client.resolve(asked))
      tellChanged(needs, answer, options, asked.keep === "both" ? "Both are kept" : "Put aside")
    })
}

/** Completion offers the words; the id of one of the two is taken too. */
function keepOption(): Option {
  const option = new Option("--keep <which>", "the id of the one to keep, or: this (the first), other, both")
  option.argChoices = [...keeps]
  return option.makeOptionMandatory()
}

function keepOf(which: string, id: string, other: string | undefined): (typeof keeps)[number] {
  const word = keeps.find((one) => one === which)
  if (word) return word
  const isFirst = isSame(which, id)
  const isOther = other !== undefined && isSame(which, other)
  if (isFirst !== isOther) return isFirst ? "this" : "other"
  throw new UserError("usage", `--keep takes ${id}, ${other ?? "other"} or both, not ${which}.`)
}

/** Whether a word names this memory: its id, or the end of it as lists show it. */
function isSame(word: string, id: string): boolean {
  const [short = "", long = ""] = [word, id].sort((a, b) => a.length - b.length)
  return short.length >= 4 && long.endsWith(short)
}
