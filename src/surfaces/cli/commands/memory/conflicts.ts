import { type Command, Option } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { escapeControls } from "../../../../base/text/text.ts"
import { conflictChoices } from "../../../../memory/model/kinds.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { limitOption } from "../../option-values.ts"
import { type ScopeOptions, scopeOf, scopeOptions } from "../../scope-options.ts"
import { printChanges } from "../../view/changed.ts"

/** `reverie conflicts` and `reverie resolve`, also under `reverie memory` */
export function conflictsCommands(parent: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    scopeOptions(parent.command("conflicts"))
      .description("show memories that contradict each other, or that a newer one may replace; newest first")
      .addOption(limitOption(1000, 100)),
    (client, options: ScopeOptions & { limit: number }) =>
      client.conflicts({ ...scopeOf(needs, options), limit: options.limit }),
    ({ conflicts }) => {
      for (const { kind, memories } of conflicts) {
        const [newer, older] = memories.map(({ id, createdAt, label, source, content }) => {
          const head = `${needs.output.paint("dim", id)}  ${createdAt.slice(0, 10)}  ${label ?? source}`
          return `${head}\n  ${escapeControls(content).replaceAll("\n", "\n  ")}`
        })
        const between = kind === "may-replace" ? "  may replace:\n" : ""
        needs.output.data(`${newer}\n${between}${older}\n`)
      }
      if (conflicts.length === 0) return needs.output.say("No conflicts.")
      needs.output.say("Decide with `reverie resolve ID OTHER --keep ID`, or `--keep both`.")
    },
  )
  apiCommand(
    needs,
    parent
      .command("resolve")
      .description("decide a conflict: keep one memory, or both")
      .argument("<id>")
      .argument("[other]", "the memory it contradicts, if there are several")
      .addOption(keepOption()),
    (client, id: string, other: string | undefined, { keep }: { keep: string }) =>
      client.resolve({ id, other, keep: keepOf(keep, id, other) }),
    (answer, id, other, { keep }) =>
      printChanges(needs, answer, keepOf(keep, id, other) === "both" ? "Kept both" : "Hidden"),
  )
}

/** Completion offers the words; the id of one of the two is also accepted. */
function keepOption(): Option {
  const option = new Option("--keep <which>", "the id of the one to keep, or: this (the first), other, both")
  option.argChoices = [...conflictChoices]
  return option.makeOptionMandatory()
}

function keepOf(which: string, id: string, other: string | undefined): (typeof conflictChoices)[number] {
  const word = conflictChoices.find((one) => one === which)
  if (word) return word
  const isFirst = isSameId(which, id)
  const isOther = other !== undefined && isSameId(which, other)
  if (isFirst !== isOther) return isFirst ? "this" : "other"
  throw new UserError("usage", `--keep takes ${id}, ${other ?? "other"} or both, not ${which}.`)
}

/** Whether two words name the same memory: its whole id, or the end of it as lists show it. */
function isSameId(word: string, id: string): boolean {
  const [short = "", long = ""] = [word, id].sort((a, b) => a.length - b.length)
  return short.length >= 4 && long.endsWith(short)
}
