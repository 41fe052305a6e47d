import type { Command } from "commander"
import type { RequestInput } from "../../../../api/contract/requests.ts"
import { UserError } from "../../../../base/errors.ts"
import { count } from "../../../../base/text/text.ts"
import { withClient } from "../../api-command.ts"
import { askOnce } from "../../ask.ts"
import type { CliNeeds } from "../../needs.ts"
import { folder } from "../../scope-options.ts"

interface PurgeOptions {
  forgotten?: boolean
  project?: string | true
  all?: boolean
  snapshots?: boolean
  yes?: boolean
  json?: boolean
}

type Choice = RequestInput<"purge">["choice"]

/** `reverie memory purge` */
export function purgeCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("purge")
    .description("delete memories for good; this cannot be undone")
    .argument("[id...]", "their ids, or the beginnings or ends of them")
    .option("--forgotten", "all forgotten memories")
    .option("--project [dir]", "all memories of the project in this folder (default: the current one)")
    .option("--all", "all memories")
    .option("--snapshots", "also delete the snapshots, which still contain them")
    .option("--yes", "do not ask for confirmation")
    .option("--json", "print JSON")
    .action((ids: string[], options: PurgeOptions) => purge(needs, ids, options))
}

async function purge(needs: CliNeeds, ids: string[], options: PurgeOptions): Promise<void> {
  const choice = choiceOf(needs, ids, options)
  const answer = await withClient(needs, async (client) => {
    if (!options.yes) {
      const asked = await client.purge({ choice })
      const found = asked.outcome === "asked" ? asked.memories : 0
      await confirm(needs, found, options.snapshots ?? false)
    }
    return client.purge({ choice, confirmed: true, snapshots: options.snapshots ?? false })
  })
  if (options.json || answer.outcome === "asked") return needs.output.json(answer)
  // With --project and --all, texts of sessions may be gone too.
  const isNothing = answer.purged === 0 && ("ids" in choice || "forgotten" in choice)
  if (isNothing && answer.snapshotsRemoved.length === 0) return needs.output.say("Nothing to purge.")
  needs.output.say(`Purged ${count(answer.purged, "memory", "memories")}; this cannot be undone.`)
  if (!answer.scrubbed) {
    needs.output.say(
      "Another program is reading the database, so its file still contains traces; purge again later.",
    )
  }
  if (answer.snapshots.length > 0) {
    const copies = count(answer.snapshots.length, "snapshot")
    needs.output.say(`${copies} may still contain them: delete the files, or purge with --snapshots.`)
  }
  if (answer.snapshotsRemoved.length > 0) {
    needs.output.say(`Deleted ${count(answer.snapshotsRemoved.length, "snapshot")}.`)
  }
  needs.output.say("Earlier exports still contain them.")
}

function choiceOf(needs: CliNeeds, ids: string[], options: PurgeOptions): Choice {
  const project = folder(needs, options.project)
  const choices: Choice[] = [
    ...(ids.length > 0 ? [{ ids }] : []),
    ...(options.forgotten ? [{ forgotten: true as const }] : []),
    ...(project === undefined ? [] : [{ project }]),
    ...(options.all ? [{ all: true as const }] : []),
  ]
  const [only, another] = choices
  if (only && !another) return only
  throw new UserError("usage", "Say what to purge: ids, or one of --forgotten, --project and --all.")
}

/** Makes the user type a word; without a terminal it refuses. */
async function confirm(needs: CliNeeds, found: number, snapshots: boolean): Promise<void> {
  const what = `${count(found, "memory", "memories")}${snapshots ? " and all snapshots" : ""}`
  if (!needs.input.isTTY) {
    throw new UserError("refused", `This would delete ${what} for good; give --yes to do it.`)
  }
  if ((await askOnce(needs, `This deletes ${what} for good. Type purge to go on:`)) === "purge") return
  throw new UserError("refused", "Nothing was deleted.")
}
