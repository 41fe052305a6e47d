import { type Command, Option } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { UserError } from "../../../../base/errors.ts"
import { escapeControls, shorten } from "../../../../base/text/text.ts"
import { memoryStatuses, memoryTypes } from "../../../../memory/model/kinds.ts"
import { apiCommand, withClient } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { idHelp, limitOption } from "../../option-values.ts"
import { table } from "../../output.ts"
import { type ScopeOptions, scopeOf, scopeOptions } from "../../scope-options.ts"
import { shortIds } from "../../short-ids.ts"
import { showHit } from "../../view/show-hit.ts"
import { addCommand } from "./add.ts"
import { conflictsCommands } from "./conflicts.ts"
import { editCommand } from "./edit.ts"
import { embedCommand } from "./embed.ts"
import { changeCommands } from "./forget-restore.ts"
import { historyCommand } from "./history.ts"
import { clustersCommand, tagsCommand } from "./organise.ts"
import { pruneCommand } from "./prune.ts"
import { purgeCommand } from "./purge.ts"
import { searchCommand } from "./search.ts"
import { statsCommand } from "./stats.ts"
import { exportCommand, importCommand } from "./transfer.ts"
import { whyCommand } from "./why.ts"

/** `reverie memory …` */
export function memoryCommand(program: Command, needs: CliNeeds): void {
  const memory = program
    .command("memory")
    .description("add, find, change, explain, import and export memories")
  for (const addCommands of [
    ...[addCommand, searchCommand, similarCommand, listCommand, showCommand, editCommand, changeCommands],
    ...[historyCommand, whyCommand, conflictsCommands, statsCommand, embedCommand, pruneCommand],
    ...[purgeCommand, clustersCommand, tagsCommand, exportCommand, importCommand],
  ])
    addCommands(memory, needs)
}

function similarCommand(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    scopeOptions(memory.command("similar"))
      .description("show the memories most similar to one")
      .argument("<id>", idHelp)
      .addOption(limitOption(200, 10)),
    (client, id: string, options: ScopeOptions & { limit: number }) => {
      requireId(id)
      return client.similar(id, { limit: options.limit, ...scopeOf(needs, options) })
    },
    ({ results }) => {
      if (results.length === 0) return needs.output.say("No similar memories.")
      for (const hit of results) showHit(needs, hit)
    },
  )
}

function requireId(id: string): void {
  if (id.trim() === "")
    throw new UserError("usage", "Give the id of a memory; `reverie memory list` shows them.")
}

interface ListOptions extends ScopeOptions {
  type?: (typeof memoryTypes)[number]
  status?: (typeof memoryStatuses)[number]
  tag?: string
  limit: number
  after?: string
}

function listCommand(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    scopeOptions(memory.command("list").description("list memories, newest first"))
      .addOption(new Option("--type <type>", "only this type").choices(memoryTypes))
      .addOption(new Option("--status <status>", "only this status").choices(memoryStatuses))
      .option("--tag <tag>", "only with this tag")
      .addOption(limitOption(1000, 50))
      .option("--after <id>", "continue after this id"),
    (client, { type, status, tag, limit, after, ...scope }: ListOptions) =>
      client.list({ ...scopeOf(needs, scope), type, status, tag, limit, after }),
    async ({ memories, next }, { limit: _, ...filters }) => {
      if (memories.length === 0) {
        const isEmpty = !isFiltered(filters) && (await isStoreEmpty(needs))
        return needs.output.say(isEmpty ? "No memories yet." : "No memories match.")
      }
      const short = shortIds(memories.map(({ id }) => id))
      const rows = memories.map(({ id, type, scope, content, label }) => {
        const text = label === undefined ? content : `(${label}) ${content}`
        return [short(id), type, scope, shorten(text, 200)]
      })
      needs.output.data(table(rows, needs.output.width))
      if (next) needs.output.say(`More: add --after ${next}`)
    },
  )
}

function isFiltered({ type, status, tag, after, project, session }: Partial<ListOptions>): boolean {
  return [type, status, tag, after, project, session].some((one) => one !== undefined)
}

async function isStoreEmpty(needs: CliNeeds): Promise<boolean> {
  const { memory } = await withClient(needs, (client) => client.status())
  return memory.total === 0
}

function showCommand(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    memory.command("show").description("show one memory with all its fields").argument("<id>", idHelp),
    (client, id: string) => {
      requireId(id)
      return client.show(id)
    },
    (shown) => {
      needs.output.data(`${escapeControls(shown.content)}\n\n${table(fieldRows(shown))}`)
      const links = shown.edges.filter(({ kind }) => kind !== "has-tag")
      if (links.length > 0) {
        const lines = links.map(({ source, kind, target, weight }) => [source, kind, target, String(weight)])
        needs.output.data(`\n${table(lines)}`)
      }
      const history = shown.history.map((entry) => [entry.at, entry.kind, entry.actor, entry.operation])
      needs.output.data(`\n${table(history)}`)
    },
  )
}

function fieldRows(shown: Answer<"show">): string[][] {
  const project = shown.projectName === null ? "" : ` (${shown.projectName})`
  return [
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
    ...optionalRows(shown),
    ["strength", String(shown.strength)],
    ["confidence", `${shown.confidence} (trust ${shown.trust}, now ${shown.confidenceNow.toFixed(3)})`],
  ]
}

/** The fields that few memories have. */
function optionalRows({ audience, triggers, verifiedAt, supersededBy, details }: Answer<"show">): string[][] {
  const rows: [string, string | number | null | undefined][] = [
    ["verified", verifiedAt],
    ["superseded by", supersededBy],
    ["audience", audience],
    ["triggers", triggers.join(", ")],
    ["context", details.context],
    ["reason", details.reason],
    ["files", details.files?.join(", ")],
    ["steps", details.steps?.join("; ")],
    ["prerequisites", details.prerequisites?.join("; ")],
    ["warnings", details.warnings?.join("; ")],
    ["season", details.season],
    ["recency weight", details.recencyWeight],
    ["outdated", details.outdated?.notes.join(" ")],
  ]
  return rows.flatMap(([name, value]) =>
    value === undefined || value === null || value === "" ? [] : [[name, escapeControls(String(value))]],
  )
}
