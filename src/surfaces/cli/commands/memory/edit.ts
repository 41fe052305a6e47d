import { type Command, Option } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { RequestInput } from "../../../../api/contract/requests.ts"
import { exitCodes, UserError } from "../../../../base/errors.ts"
import { memoryScopes, memoryTypes } from "../../../../memory/model/kinds.ts"
import { withClient } from "../../api-command.ts"
import { type DetailOptions, detailOptions, detailsOf } from "../../detail-options.ts"
import { editText } from "../../editor.ts"
import type { CliNeeds } from "../../needs.ts"
import { collect, idHelp } from "../../option-values.ts"
import { folder } from "../../scope-options.ts"
import { printChanges, printMayReplace } from "../../view/changed.ts"

/** The fields that --clear takes, with their empty values. */
const clearable = {
  tags: { tags: [] },
  triggers: { triggers: [] },
  audience: { audience: null },
  files: { files: null },
  context: { context: null },
  reason: { reason: null },
  steps: { steps: null },
  prerequisites: { prerequisites: null },
  warnings: { warnings: null },
  season: { season: null },
} satisfies Record<string, RequestInput<"edit">>

interface EditOptions extends DetailOptions {
  type?: (typeof memoryTypes)[number]
  scope?: (typeof memoryScopes)[number]
  project?: string | true
  tag?: string[]
  clear?: string[]
  json?: boolean
}

/** `reverie memory edit` */
export function editCommand(memory: Command, needs: CliNeeds): void {
  const command = memory
    .command("edit")
    .description("change a memory's text or what is known about it (without either, $EDITOR opens)")
    .argument("<id>", idHelp)
    .argument("[text...]", "the new text")
    .addOption(new Option("--type <type>", "its type").choices(memoryTypes))
    .addOption(new Option("--scope <scope>", "where it applies").choices(memoryScopes))
    .option("--project [dir]", "it belongs to the project of this folder (default: the current one)")
    .option("--tag <tag>", "its new tags; repeatable", collect)
  detailOptions(command)
    .addOption(
      new Option("--clear <field>", "empty a field; repeatable")
        .choices(Object.keys(clearable))
        .argParser(clearedField),
    )
    .option("--json", "print JSON")
    .action((id: string, words: string[], options: EditOptions) => edit(needs, id, words, options))
}

function clearedField(value: string, before: string[] | undefined): string[] {
  if (value in clearable) return collect(value, before)
  throw new UserError("usage", `--clear takes one of ${Object.keys(clearable).join(", ")}.`)
}

async function edit(needs: CliNeeds, id: string, words: string[], options: EditOptions): Promise<void> {
  refuseContradiction(options)
  const fields = fieldsOf(needs, options)
  const hasFields = Object.values(fields).some((value) => value !== undefined)
  const answer = await withClient(needs, async (client): Promise<Answer<"edit"> | undefined> => {
    // The version makes the API refuse the edit if somebody else changed the memory meanwhile.
    const shown = await client.show(id)
    const content = words.join(" ") || (hasFields ? undefined : await editText(needs, shown.content))
    if (content === shown.content && !hasFields) return undefined
    const text = content === undefined ? {} : { content, source: "user-corrected" as const }
    return client.edit(shown.id, { ...fields, ...text, version: shown.version, from: needs.cwd })
  })
  if (answer === undefined) return needs.output.say("Nothing changed.")
  if ("reason" in answer) needs.setExitCode(exitCodes.refused)
  if (options.json) return needs.output.json(answer)
  if ("reason" in answer) return needs.output.say(`Not changed: ${answer.reason}.`)
  printChanges(needs, answer)
  const [edited] = answer.memories
  if (edited) printMayReplace(needs, edited.id, answer)
}

/** A field cannot be emptied and set at the same time. */
function refuseContradiction({ clear = [], tag, ...options }: EditOptions): void {
  const fields: Record<string, unknown> = { tags: tag, ...detailsOf(options) }
  const both = clear.find((name) => fields[name] !== undefined)
  if (both === undefined) return
  throw new UserError("usage", `--clear ${both} and a new value for it contradict each other; leave out one.`)
}

function fieldsOf(needs: CliNeeds, options: EditOptions): RequestInput<"edit"> {
  const cleared = (options.clear ?? []).map(
    (name) => Object.entries(clearable).find(([one]) => one === name)?.[1],
  )
  return {
    type: options.type,
    scope: options.scope,
    project: folder(needs, options.project),
    tags: options.tag,
    ...detailsOf(options),
    ...Object.assign({}, ...cleared),
  }
}
