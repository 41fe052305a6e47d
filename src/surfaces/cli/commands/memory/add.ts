import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { text as readText } from "node:stream/consumers"
import { type Command, Option } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { RequestInput } from "../../../../api/contract/requests.ts"
import { exitCodes, UserError } from "../../../../base/errors.ts"
import { projectConfigFile } from "../../../../config/load.ts"
import { gitFolder } from "../../../../git/git-folder.ts"
import { memoryScopes, memorySources, memoryTypes } from "../../../../memory/model/kinds.ts"
import { withClient } from "../../api-command.ts"
import { type DetailOptions, detailOptions, detailsOf } from "../../detail-options.ts"
import type { CliNeeds } from "../../needs.ts"
import { collect } from "../../option-values.ts"
import { folder } from "../../scope-options.ts"
import { printMayReplace } from "../../view/changed.ts"

interface AddOptions extends DetailOptions {
  type?: (typeof memoryTypes)[number]
  scope?: (typeof memoryScopes)[number]
  source?: (typeof memorySources)[number]
  project?: string
  global?: boolean
  tag?: string[]
  session?: string
  sourceId?: string
  verbatim?: boolean
  json?: boolean
}

/** `reverie memory add`, also `reverie add` */
export function addCommand(parent: Command, needs: CliNeeds): void {
  const command = parent
    .command("add")
    .alias("remember")
    .description("remember a text (- reads it from standard input); inside a repository, for that project")
    .argument("<text...>")
    .addOption(
      new Option("--type <type>", "its type (default: guessed from the wording)").choices(memoryTypes),
    )
    .option("--global", "it applies everywhere, not only in this project")
    .option("--project <dir>", "it belongs to the project of this folder")
    .addOption(new Option("--scope <scope>", "where it applies").choices(memoryScopes))
    .option("--tag <tag>", "a tag; repeatable", collect)
    .option("--session <id>", "the session it comes from")
    .option("--source-id <id>", "your own id for it")
    .addOption(new Option("--source <source>", "how it is known").choices(memorySources))
  detailOptions(command)
    .option("--verbatim", "store it unchanged, without comparing it with other memories")
    .option("--json", "print JSON")
    .action(async (words: string[], options: AddOptions) => {
      if (words[0] === "-" && words.length > 1)
        throw new UserError("usage", "- reads the text from standard input; give it or a text, not both.")
      const text = words.join(" ")
      const content = text === "-" ? await readText(needs.input) : text
      const request = await addRequest(needs, content, options)
      const result = await withClient(needs, (client) => client.add(request))
      if (result.outcome === "refused") needs.setExitCode(exitCodes.refused)
      if (options.json) return needs.output.json(result)
      needs.output.say(resultText(result))
      if (result.outcome === "refused") return
      printMayReplace(needs, result.id, result)
      needs.output.data(result.id)
    })
}

async function addRequest(
  needs: CliNeeds,
  content: string,
  options: AddOptions,
): Promise<RequestInput<"add">> {
  if (content.trim() === "") throw new UserError("usage", "There is no text to remember; give some.")
  const { type, scope, source, session: sessionId, sourceId, verbatim } = options
  const isGlobal = options.global || scope === "global"
  if (isGlobal && (options.project !== undefined || scope === "project"))
    throw new UserError("usage", "A global memory belongs to no project; leave out one of the two.")
  const project = isGlobal ? undefined : await projectOf(needs, options)
  return {
    ...{ content, type, tags: options.tag ?? [], source, verbatim, project, sessionId, sourceId },
    scope: isGlobal ? "global" : scope,
    from: needs.cwd,
    ...detailsOf(options),
  }
}

/** The project that was named, or the one of the repository that the user is in. */
async function projectOf(needs: CliNeeds, { project, scope }: AddOptions): Promise<string | undefined> {
  if (project !== undefined || scope === "project") return folder(needs, project ?? true)
  if (scope === "session") return undefined
  return (await isInRepository(needs.cwd)) ? needs.cwd : undefined
}

/** Whether a folder is in a git repository or below a project's configuration file; runs no program. */
async function isInRepository(from: string): Promise<boolean> {
  if ((await gitFolder(from)) !== undefined) return true
  for (let current = from; ; current = dirname(current)) {
    if (existsSync(projectConfigFile(current))) return true
    if (current === dirname(current)) return false
  }
}

/** The result in a sentence or two. */
function resultText(result: Answer<"add">): string {
  if (result.outcome === "refused") return `Not saved: ${result.reason}.`
  const { reason, related = [], type, projectName } = result
  const where = projectName ? `for project ${projectName}` : "for every project"
  const saved = `Saved ${where} (${type}).`
  const others = related.join(", ")
  const outcome = {
    saved,
    reinforced: `Already known ${where}; its strength was raised.`,
    updated: `Updated ${where}: this source id had another text before.`,
    unchanged: `Already known ${where}; nothing changed.`,
    superseded: `${saved} It replaces ${others}.`,
    conflict: `${saved} But ${others} says otherwise; both are kept, and \`reverie conflicts\` shows them.`,
  }[result.outcome]
  return reason === undefined ? outcome : `${outcome} ${reason}`
}
