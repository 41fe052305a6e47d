import { type Command, Option } from "commander"
import type { AddAnswer, Asked } from "../../../api/contract.ts"
import { exitCodes, UserError } from "../../../base/errors.ts"
import { memoryScopes, memorySources, memoryTypes } from "../../../memory/kinds.ts"
import { type KnownOptions, known, knownOptions } from "../known-options.ts"
import type { CliNeeds } from "../needs.ts"
import { readAll } from "../read-all.ts"
import { withClient } from "../session.ts"
import { collect, folder } from "../view.ts"

interface AddOptions extends KnownOptions {
  type: (typeof memoryTypes)[number]
  scope?: (typeof memoryScopes)[number]
  source?: (typeof memorySources)[number]
  project?: string | true
  tag?: string[]
  session?: string
  sourceId?: string
  verbatim?: boolean
  json?: boolean
}

/** `reverie memory add` */
export function addCommand(memory: Command, needs: CliNeeds): void {
  const command = memory
    .command("add")
    .description("remember a text (- reads it from standard input)")
    .argument("<text...>")
    .addOption(new Option("--type <type>", "what kind of thing it is").choices(memoryTypes).default("fact"))
    .addOption(new Option("--scope <scope>", "where it holds").choices(memoryScopes))
    .option("--project [dir]", "it belongs to the project of this folder (default: the current one)")
    .option("--tag <tag>", "a tag; may be given several times", collect)
    .option("--session <id>", "the session it comes from")
    .option("--source-id <id>", "your own identity for it")
    .addOption(new Option("--source <source>", "where it is known from").choices(memorySources))
  knownOptions(command)
    .option("--verbatim", "store it as it is, without comparing it with what is known")
    .option("--json", "answer in JSON")
    .action(async (words: string[], options: AddOptions) => {
      const text = words.join(" ")
      const content = text === "-" ? await readAll(process.stdin) : text
      const asked = addRequest(needs, content, options)
      const result = await withClient(needs, (client) => client.add(asked))
      if (result.outcome === "refused") needs.setExitCode(exitCodes.refused)
      if (options.json) return needs.output.json(result)
      needs.output.say(told(result))
      if (result.outcome !== "refused") needs.output.data(result.id)
    })
}

function addRequest(needs: CliNeeds, content: string, options: AddOptions): Asked<"add"> {
  if (content.trim() === "") throw new UserError("usage", "There is no text to remember; give some.")
  if (options.scope === "global" && options.project !== undefined) {
    throw new UserError("usage", "A global memory belongs to no project; leave out --scope or --project.")
  }
  const project = folder(needs, options.project ?? (options.scope === "project" ? true : undefined))
  const { type, scope, source, session: sessionId, sourceId, verbatim } = options
  const place = { from: needs.cwd, scope, project, sessionId, sourceId }
  return { content, type, tags: options.tag ?? [], source, verbatim, ...place, ...known(options) }
}

/** What became of it, in a sentence or two. */
function told(result: AddAnswer): string {
  if (result.outcome === "refused") return `Not remembered: ${result.reason}.`
  const { reason, related = [] } = result
  const others = related.join(", ")
  const outcome = {
    saved: "Remembered.",
    reinforced: "Known already; made stronger.",
    updated: "Updated: this source id had another text before.",
    unchanged: "Known already; nothing changed.",
    superseded: `Remembered; only the newer of this and ${others} holds from now on.`,
    conflict: `Remembered, but ${others} says otherwise and is trusted more; \`reverie memory conflicts\` shows both.`,
  }[result.outcome]
  return reason === undefined ? outcome : `${outcome} ${reason}`
}
