import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { type Command, Option } from "commander"
import type { Asked } from "../../../api/contract.ts"
import { exitCodes, UserError } from "../../../base/errors.ts"
import { shorten, visible } from "../../../base/text.ts"
import { memoryScopes, memoryStatuses, memoryTypes } from "../../../memory/kinds.ts"
import type { CliNeeds } from "../needs.ts"
import { table } from "../output.ts"
import { withClient } from "../session.ts"
import { wholeNumber } from "../whole-number.ts"
import { clustersCommand, tagsCommand } from "./organise.ts"
import { exportCommand, importCommand } from "./transfer.ts"

interface ViewOptions {
  project?: string | true
  allProjects?: boolean
  session?: string
  json?: boolean
}

/** `reverie memory …` */
export function memoryCommand(program: Command, needs: CliNeeds): void {
  const memory = program.command("memory").description("what is remembered: add, find, list, move in and out")
  addCommand(memory, needs)
  searchCommand(memory, needs)
  listCommand(memory, needs)
  showCommand(memory, needs)
  clustersCommand(memory, needs, (options) => view(needs, options))
  tagsCommand(memory, needs, (options) => view(needs, options))
  exportCommand(memory, needs)
  importCommand(memory, needs)
}

interface AddOptions {
  type: (typeof memoryTypes)[number]
  scope?: (typeof memoryScopes)[number]
  project?: string | true
  tag?: string[]
  session?: string
  sourceId?: string
  json?: boolean
}

function addCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("add")
    .description("remember a text (- reads it from standard input)")
    .argument("<text...>")
    .addOption(new Option("--type <type>", "what kind of thing it is").choices(memoryTypes).default("fact"))
    .addOption(new Option("--scope <scope>", "where it holds").choices(memoryScopes))
    .option("--project [dir]", "it belongs to the project of this folder (default: the current one)")
    .option("--tag <tag>", "a tag; may be given several times", collect)
    .option("--session <id>", "the session it comes from")
    .option("--source-id <id>", "your own identity for it")
    .option("--json", "answer in JSON")
    .action(async (words: string[], options: AddOptions) => {
      const text = words.join(" ")
      const content = text === "-" ? await readAll(process.stdin) : text
      const asked = addRequest(needs, content, options)
      const result = await withClient(needs, (client) => client.add(asked))
      if (result.outcome === "refused") needs.setExitCode(exitCodes.refused)
      if (options.json) return needs.output.json(result)
      if (result.outcome === "refused") return needs.output.say(`Not remembered: ${result.reason}.`)
      needs.output.say(result.outcome === "saved" ? "Remembered." : "Known already; made stronger.")
      needs.output.data(result.id)
    })
}

function addRequest(needs: CliNeeds, content: string, options: AddOptions): Asked<"add"> {
  if (content.trim() === "") throw new UserError("usage", "There is no text to remember; give some.")
  if (options.scope === "global" && options.project !== undefined) {
    throw new UserError("usage", "A global memory belongs to no project; leave out --scope or --project.")
  }
  const project = folder(needs, options.project ?? (options.scope === "project" ? true : undefined))
  const { type, scope, session: sessionId, sourceId } = options
  return { content, from: needs.cwd, type, tags: options.tag ?? [], scope, project, sessionId, sourceId }
}

function searchCommand(memory: Command, needs: CliNeeds): void {
  viewOptions(memory.command("search").description("find memories").argument("<query...>"))
    .option("--limit <number>", "how many at most, 1 to 200", wholeNumber(200), 10)
    .action(async (words: string[], options: ViewOptions & { limit: number }) => {
      const query = { query: words.join(" "), limit: options.limit, ...view(needs, options) }
      const found = await withClient(needs, (client) => client.search(query))
      if (options.json) return needs.output.json(found)
      if (found.reason) needs.output.say(`Nothing can be found: ${found.reason}.`)
      else if (found.abstained) needs.output.say("Nothing found.")
      for (const hit of found.results) {
        const tags = hit.tags.map((tag) => ` #${tag}`).join("")
        const head = `${needs.output.paint("dim", hit.id)}  ${hit.score.toFixed(2)}  ${hit.type}${tags}`
        needs.output.data(`${head}\n  ${visible(hit.content).replaceAll("\n", "\n  ")}`)
      }
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
      const rows = page.memories.map((one) => [one.id, one.type, one.scope, shorten(one.content, 200)])
      needs.output.data(table(rows, needs.output.width))
      if (page.next) needs.output.say(`More: add --after ${page.next}`)
    })
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
        ["source", [shown.source, shown.sourceId, shown.sessionId].filter(Boolean).join(", ")],
        ["created", shown.createdAt],
        ["updated", shown.updatedAt],
        ["strength", String(shown.strength)],
        ["confidence", `${shown.confidence} (trust ${shown.trust})`],
      ]
      needs.output.data(`${visible(shown.content)}\n\n${table(rows)}`)
      const history = shown.history.map((entry) => [entry.at, entry.kind, entry.actor, entry.operation])
      needs.output.data(`\n${table(history)}`)
    })
}

function viewOptions(command: Command): Command {
  return command
    .option("--project [dir]", "the project of this folder (default: the current one)")
    .option("--all-projects", "of every project")
    .option("--session <id>", "also what belongs to this session only")
    .option("--json", "answer in JSON")
}

/** What the user may see from here: global memories, and those of the project they are in. */
function view(needs: CliNeeds, options: ViewOptions) {
  const project = options.allProjects ? undefined : folder(needs, options.project ?? true)
  return {
    ...(options.allProjects ? { allProjects: "true" as const } : {}),
    ...(project ? { project } : {}),
    ...(options.session ? { session: options.session } : {}),
  }
}

function folder(needs: CliNeeds, given: string | true | undefined): string | undefined {
  if (given === undefined) return undefined
  const path = given === true ? needs.cwd : resolve(needs.cwd, given)
  if (!existsSync(path))
    throw new UserError("usage", `The project folder ${path} does not exist; give an existing one.`)
  if (!statSync(path).isDirectory())
    throw new UserError("usage", `${path} is not a folder; give the project's folder.`)
  return path
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ""
  for await (const chunk of stream) text += String(chunk)
  return text
}
