import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { bytesText, count } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"

/** `reverie memory stats` */
export function statsCommand(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    memory.command("stats").description("show how many memories there are, and of what kind"),
    (client) => client.stats(),
    (stats) => needs.output.data(table(rows(stats), needs.output.width)),
  )
}

function rows({ counts, storage, oldest, newest }: Answer<"stats">): string[][] {
  const { faint, expired, conflicts, withoutVector, textBytes, journalEntries } = counts
  const missing = withoutVector === null ? "" : `; ${withoutVector} still without one`
  const vectors = counts.vectors.map(({ model, memories, current }) => {
    return `${memories} of ${model}${current ? " (in use)" : ""}`
  })
  return [
    ["memories", `${counts.total}: ${listed(counts.status)}`],
    ["types", listed(counts.type)],
    ["scopes", listed(counts.scope)],
    ["sources", listed(counts.source)],
    ["projects", named(counts.projects)],
    ["tags", named(counts.tags)],
    ["links", listed(counts.edges)],
    ["conflicts", conflicts === 0 ? "none" : `${conflicts} open; see \`memory conflicts\``],
    ["fading", `${expired} expired, ${faint} faint`],
    ["vectors", `${vectors.join(", ") || "none"}${missing}`],
    ["size", `${bytesText(textBytes)} of text, ${storage.size ?? "?"} stored`],
    ["journal", count(journalEntries, "entry", "entries")],
    ["from", oldest === null ? "-" : `${oldest} to ${newest}`],
  ]
}

/** The counts that are not zero. */
function listed(counts: Record<string, number>): string {
  const found = Object.entries(counts).filter(([, number]) => number > 0)
  return found.map(([name, number]) => `${number} ${name}`).join(", ") || "none"
}

const namesShown = 10

function named(list: { name: string; memories: number }[]): string {
  const shown = list.slice(0, namesShown).map(({ name, memories }) => `${name} ${memories}`)
  const rest = list.length > namesShown ? [`and ${list.length - namesShown} more`] : []
  return [...shown, ...rest].join(", ") || "none"
}
