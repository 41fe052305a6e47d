import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { UserError } from "../../../../base/errors.ts"
import { count, shorten } from "../../../../base/text/text.ts"
import { changeWord } from "../../../../memory/history/change-word.ts"
import { withClient } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { shortIds } from "../../short-ids.ts"
import { timeAgo } from "../../view/times.ts"

/** `reverie undo` */
export function undoCommand(program: Command, needs: CliNeeds): void {
  program
    .command("undo")
    .description(
      "undo the last change, the one you name, or everything that a cycle or an agent's session did",
    )
    .argument("[operation]", "the id of an operation (or its end, as --list shows it), a cycle or a session")
    .option("--list", "list the last changes, newest first")
    .option("--json", "print JSON")
    .action(async (operation: string | undefined, options: { list?: boolean; json?: boolean }) => {
      if (options.list && operation !== undefined)
        throw new UserError("usage", "--list undoes nothing; leave out --list or the id.")
      if (options.list) return listOperations(needs, options.json ?? false)
      const undone = await withClient(needs, (client) => client.undo({ operation }))
      if (options.json) return needs.output.json(undone)
      showUndone(needs, undone)
    })
}

function showUndone({ output }: CliNeeds, undone: Answer<"undo">): void {
  const [what, next] =
    "broughtBack" in undone
      ? ["Brought back what was undone", "undoes it again"]
      : ["Undone", "brings it back"]
  const did = "did" in undone && undone.did && !undone.broughtBack ? `${undone.did} ` : ""
  output.say(`${what}: ${did}${shorten(undone.summary, 100)}`)
  output.say(`(${count(undone.changes, "change")}; \`reverie undo ${undone.operation}\` ${next}.)`)
  if ("kept" in undone) for (const { reason } of undone.kept) output.say(`Kept: ${reason}`)
}

async function listOperations(needs: CliNeeds, json: boolean): Promise<void> {
  const answer = await withClient(needs, (client) => client.operations({ limit: 20 }))
  if (json) return needs.output.json(answer)
  if (answer.operations.length === 0) return needs.output.say("There are no changes yet.")
  const seen = new Set<string>()
  const short = shortIds(answer.operations.map(({ operation }) => operation))
  const now = needs.clock.now()
  const rows = answer.operations.flatMap((one) => {
    const { session } = one
    const isNew = session !== null && !seen.has(session)
    if (isNew) seen.add(session)
    const row = [
      short(one.operation),
      timeAgo(one.at, now),
      one.undoes ? `undid ${short(one.undoes)}` : changeWord(one.kind),
      changesText([one]),
      one.undone ? "undone" : "",
    ]
    return isNew ? [wholeSession(session, answer, now), row] : [row]
  })
  needs.output.data(table(rows, needs.output.width))
}

/** The row for an agent's session: one undo takes back all its operations. */
function wholeSession(session: string, { operations }: Answer<"operations">, now: number): string[] {
  const own = operations.filter((one) => one.session === session)
  const what = `agent's session, ${count(own.length, "operation")}`
  const undone = own.every((one) => one.undone) ? "undone" : ""
  return [session, timeAgo(own.at(-1)?.at ?? "", now), what, changesText(own), undone]
}

type Operation = Answer<"operations">["operations"][number]

/** How many memories, links or tags the operations changed; "changes" if they are of several kinds. */
function changesText(operations: readonly Operation[]): string {
  const changes = operations.reduce((sum, one) => sum + one.changes, 0)
  const [noun = "", another] = new Set(operations.map(({ kind }) => kind.split(".")[0] ?? ""))
  if (another !== undefined) return count(changes, "change")
  if (noun === "edge") return count(changes, "link")
  return noun === "tag" ? count(changes, "tag") : count(changes, "memory", "memories")
}
