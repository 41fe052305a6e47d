import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { type Command, Option } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { Asked } from "../../../../api/contract/requests.ts"
import { exitCodes, UserError } from "../../../../base/errors.ts"
import { projectConfigFile } from "../../../../config/load.ts"
import { gitFolder } from "../../../../git/git-folder.ts"
import { memoryScopes, memorySources, memoryTypes } from "../../../../memory/model/kinds.ts"
import { type KnownOptions, known, knownOptions } from "../../known-options.ts"
import type { CliNeeds } from "../../needs.ts"
import { readAll } from "../../read-all.ts"
import { withClient } from "../../session.ts"
import { tellMayReplace } from "../../view/changed.ts"
import { collect, folder } from "../../view/view.ts"

interface AddOptions extends KnownOptions {
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
      new Option("--type <type>", "what kind of thing it is (default: by its wording)").choices(memoryTypes),
    )
    .option("--global", "it holds everywhere, not only in this project")
    .option("--project <dir>", "it belongs to the project of this folder")
    .addOption(new Option("--scope <scope>", "where it holds").choices(memoryScopes))
    .option("--tag <tag>", "a tag; may be given several times", collect)
    .option("--session <id>", "the session it comes from")
    .option("--source-id <id>", "your own identity for it")
    .addOption(new Option("--source <source>", "where it is known from").choices(memorySources))
  knownOptions(command)
    .option("--verbatim", "store it as it is, without comparing it with what is known")
    .option("--json", "answer in JSON")
    .action(async (words: string[], options: AddOptions) => {
      const text = words.join(" ")
      const content = text === "-" ? await readAll(needs.input) : text
      const asked = await addRequest(needs, content, options)
      const result = await withClient(needs, (client) => client.add(asked))
      if (result.outcome === "refused") needs.setExitCode(exitCodes.refused)
      if (options.json) return needs.output.json(result)
      needs.output.say(told(result))
      if (result.outcome === "refused") return
      tellMayReplace(needs, result.id, result)
      needs.output.data(result.id)
    })
}

async function addRequest(needs: CliNeeds, content: string, options: AddOptions): Promise<Asked<"add">> {
  if (content.trim() === "") throw new UserError("usage", "There is no text to remember; give some.")
  const { type, scope, source, session: sessionId, sourceId, verbatim } = options
  const isGlobal = options.global || scope === "global"
  if (isGlobal && (options.project !== undefined || scope === "project"))
    throw new UserError("usage", "A global memory belongs to no project; leave out one of the two.")
  const project = isGlobal ? undefined : await projectOf(needs, options)
  const belonging = {
    from: needs.cwd,
    scope: isGlobal ? ("global" as const) : scope,
    project,
    sessionId,
    sourceId,
  }
  return { content, type, tags: options.tag ?? [], source, verbatim, ...belonging, ...known(options) }
}

/** The project that was named, or the one of the repository that the user is in. */
async function projectOf(needs: CliNeeds, { project, scope }: AddOptions): Promise<string | undefined> {
  if (project !== undefined || scope === "project") return folder(needs, project ?? true)
  if (scope === "session") return undefined
  return (await isInRepository(needs.cwd)) ? needs.cwd : undefined
}

/** Whether a folder is in a git repository or has a project's configuration above it; asks no program. */
async function isInRepository(from: string): Promise<boolean> {
  if ((await gitFolder(from)) !== undefined) return true
  for (let current = from; ; current = dirname(current)) {
    if (existsSync(projectConfigFile(current))) return true
    if (current === dirname(current)) return false
  }
}

/** What became of it, in a sentence or two. */
function told(result: Answer<"add">): string {
  if (result.outcome === "refused") return `Not saved: ${result.reason}.`
  const { reason, related = [], type, projectName } = result
  const where = projectName ? `for project ${projectName}` : "for every project"
  const saved = `Saved ${where} (${type}).`
  const others = related.join(", ")
  const outcome = {
    saved,
    reinforced: `Known already ${where}; made stronger.`,
    updated: `Updated ${where}: this source id had another text before.`,
    unchanged: `Known already ${where}; nothing changed.`,
    superseded: `${saved} It replaces ${others}.`,
    conflict: `${saved} But ${others} says otherwise; both are kept, and \`reverie conflicts\` shows them.`,
  }[result.outcome]
  return reason === undefined ? outcome : `${outcome} ${reason}`
}
