import { type Command, Option } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { shorten, visible } from "../../../../base/text/text.ts"
import { memoryStatuses, memoryTypes } from "../../../../memory/model/kinds.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { shortIds } from "../../short-ids.ts"
import { showHit } from "../../view/show-hit.ts"
import { type ViewOptions, view, viewOptions } from "../../view/view.ts"
import { wholeNumber } from "../../whole-number.ts"
import { pruneCommand, rateCommand } from "../daemon/life.ts"
import { addCommand } from "./add.ts"
import { conflictsCommand, resolveCommand } from "./conflicts.ts"
import { editCommand } from "./edit.ts"
import { embedCommand } from "./embed.ts"
import { forgetCommand, linkCommand, restoreCommand, tagCommand } from "./forget-restore.ts"
import { historyCommand } from "./history.ts"
import { clustersCommand, tagsCommand } from "./organise.ts"
import { purgeCommand } from "./purge.ts"
import { searchCommand } from "./search.ts"
import { statsCommand } from "./stats.ts"
import { exportCommand, importCommand } from "./transfer.ts"
import { whyCommand } from "./why.ts"

/** `reverie memory …` */
export function memoryCommand(program: Command, needs: CliNeeds): void {
  const memory = program
    .command("memory")
    .description("what is remembered: add, find, change, explain, move in and out")
  addCommand(memory, needs)
  searchCommand(memory, needs)
  similarCommand(memory, needs)
  listCommand(memory, needs)
  showCommand(memory, needs)
  editCommand(memory, needs)
  forgetCommand(memory, needs)
  restoreCommand(memory, needs)
  tagCommand(memory, needs)
  linkCommand(memory, needs)
  rateCommand(memory, needs)
  historyCommand(memory, needs)
  whyCommand(memory, needs)
  conflictsCommand(memory, needs)
  resolveCommand(memory, needs)
  statsCommand(memory, needs)
  embedCommand(memory, needs)
  pruneCommand(memory, needs)
  purgeCommand(memory, needs)
  clustersCommand(memory, needs, (options) => view(needs, options))
  tagsCommand(memory, needs, (options) => view(needs, options))
  exportCommand(memory, needs)
  importCommand(memory, needs)
}

function similarCommand(memory: Command, needs: CliNeeds): void {
  viewOptions(
    memory
      .command("similar")
      .description("show the memories that are most like one")
      .argument("<id>", "its id, or the beginning or end of it"),
  )
    .option("--limit <number>", "how many at most, 1 to 200", wholeNumber(200), 10)
    .action(async (id: string, options: ViewOptions & { limit: number }) => {
      if (id.trim() === "")
        throw new UserError("usage", "Give the id of a memory; `reverie memory list` shows them.")
      const { limit } = options
      const found = await withClient(needs, (client) =>
        client.similar(id, { limit, ...view(needs, options) }),
      )
      if (options.json) return needs.output.json(found)
      if (found.results.length === 0) return needs.output.say("No similar memories.")
      for (const hit of found.results) showHit(needs, hit)
    })
}

function listCommand(memory: Command, needs: CliNeeds): void {
  viewOptions(memory.command("list").description("list memories, newest first"))
    .addOption(new Option("--type <type>", "only this type").choices(memoryTypes))
    .addOption(new Option("--status <status>", "only this status").choices(memoryStatuses))
    .option("--tag <tag>", "only with this tag")
    .option("--limit <number>", "how many at most, 1 to 1000", wholeNumber(1000), 50)
    .option("--after <id>", "go on after this id")
    .action(async (options: ViewOptions & ListOptions) => {
      const { type, status, tag, limit, after } = options
      const query = { ...view(needs, options), type, status, tag, limit, after }
      const page = await withClient(needs, (client) => client.list(query))
      if (options.json) return needs.output.json(page)
      if (page.memories.length === 0) return needs.output.say("Nothing here yet.")
      const short = shortIds(page.memories.map(({ id }) => id))
      const rows = page.memories.map((one) => [
        short(one.id),
        one.type,
        one.scope,
        shorten(labelled(one), 200),
      ])
      needs.output.data(table(rows, needs.output.width))
      if (page.next) needs.output.say(`More: add --after ${page.next}`)
    })
}

function labelled({ content, label }: { content: string; label?: string }): string {
  return label === undefined ? content : `(${label}) ${content}`
}

interface ListOptions {
  type?: (typeof memoryTypes)[number]
  status?: (typeof memoryStatuses)[number]
  tag?: string
  limit: number
  after?: string
}

function showCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("show")
    .description("show one memory with everything known about it")
    .argument("<id>", "its id, or the beginning or end of it")
    .option("--json", "answer in JSON")
    .action(async (id: string, options: { json?: boolean }) => {
      if (id.trim() === "")
        throw new UserError("usage", "Give the id of a memory; `reverie memory list` shows them.")
      const shown = await withClient(needs, (client) => client.show(id))
      if (options.json) return needs.output.json(shown)
      const project = shown.projectName === null ? "" : ` (${shown.projectName})`
      const rows = [
        ["id", shown.id],
        ["type", shown.type],
        ["scope", shown.scope + project],
        ["status", shown.status],
        ["tags", shown.tags.join(", ") || "-"],
        ...(shown.inferredTags.length > 0 ? [["inferred tags", shown.inferredTags.join(", ")]] : []),
        ...shown.clusters.map(({ name }) => ["cluster", name]),
        ["source", [shown.label ?? shown.source, shown.sourceId, shown.sessionId].filter(Boolean).join(", ")],
        ["created", shown.createdAt],
        ["updated", shown.updatedAt],
        ["strength", String(shown.strength)],
        ["confidence", `${shown.confidence} (trust ${shown.trust}, now ${shown.confidenceNow.toFixed(3)})`],
      ]
      needs.output.data(`${visible(shown.content)}\n\n${table(rows)}`)
      const links = shown.edges.filter(({ kind }) => kind !== "has-tag")
      if (links.length > 0) {
        const lines = links.map(({ source, kind, target, weight }) => [source, kind, target, String(weight)])
        needs.output.data(`\n${table(lines)}`)
      }
      const history = shown.history.map((entry) => [entry.at, entry.kind, entry.actor, entry.operation])
      needs.output.data(`\n${table(history)}`)
    })
}
