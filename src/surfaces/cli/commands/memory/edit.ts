import { type Command, Option } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { Asked } from "../../../../api/contract/requests.ts"
import { exitCodes, UserError } from "../../../../base/errors.ts"
import { memoryScopes, memoryTypes } from "../../../../memory/model/kinds.ts"
import { editText } from "../../editor.ts"
import { type KnownOptions, known, knownOptions } from "../../known-options.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
import { tellChanged, tellMayReplace } from "../../view/changed.ts"
import { collect, folder } from "../../view/view.ts"

/** What --clear empties, and how. */
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
} satisfies Record<string, Asked<"edit">>

interface EditOptions extends KnownOptions {
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
    .argument("<id>", "its id, or the beginning or end of it")
    .argument("[text...]", "the new text")
    .addOption(new Option("--type <type>", "what kind of thing it is").choices(memoryTypes))
    .addOption(new Option("--scope <scope>", "where it holds").choices(memoryScopes))
    .option("--project [dir]", "it belongs to the project of this folder (default: the current one)")
    .option("--tag <tag>", "its tags from now on; may be given several times", collect)
  knownOptions(command)
    .addOption(
      new Option("--clear <field>", "empty a field; several times")
        .choices(Object.keys(clearable))
        .argParser(clearedField),
    )
    .option("--json", "answer in JSON")
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
    // What is shown here is what is changed: if somebody else is quicker, the edit is refused.
    const shown = await client.show(id)
    const content = await newText(needs, shown, words.join(" "), hasFields)
    if (content === shown.content && !hasFields) return undefined
    const text = content === undefined ? {} : { content, source: "user-corrected" as const }
    return client.edit(shown.id, { ...fields, ...text, version: shown.version, from: needs.cwd })
  })
  if (answer === undefined) return needs.output.say("Nothing changed.")
  if (!("reason" in answer)) {
    tellChanged(needs, answer, options)
    const [edited] = answer.memories
    if (edited && !options.json) tellMayReplace(needs, edited.id, answer)
    return
  }
  needs.setExitCode(exitCodes.refused)
  if (options.json) return needs.output.json(answer)
  needs.output.say(`Not changed: ${answer.reason}.`)
}

/** The text to be: what was given, or what the user makes of it in their editor. */
async function newText(
  needs: CliNeeds,
  shown: Answer<"show">,
  given: string,
  hasFields: boolean,
): Promise<string | undefined> {
  if (given !== "") return given
  return hasFields ? undefined : editText(needs, shown.content)
}

/** A field that is to be emptied cannot be set at the same time. */
function refuseContradiction({ clear = [], tag, ...options }: EditOptions): void {
  const given: Record<string, unknown> = { tags: tag, ...known(options) }
  const both = clear.find((name) => given[name] !== undefined)
  if (both === undefined) return
  throw new UserError("usage", `--clear ${both} and a new value for it contradict each other; leave out one.`)
}

function fieldsOf(needs: CliNeeds, options: EditOptions): Asked<"edit"> {
  const cleared = (options.clear ?? []).map(
    (name) => Object.entries(clearable).find(([one]) => one === name)?.[1],
  )
  return {
    type: options.type,
    scope: options.scope,
    project: folder(needs, options.project),
    tags: options.tag,
    ...known(options),
    ...Object.assign({}, ...cleared),
  }
}
