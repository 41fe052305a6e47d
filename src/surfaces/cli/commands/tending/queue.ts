import { type Command, Option } from "commander"
import type { QueueItemJson } from "../../../../api/contract/tending-answers.ts"
import { parseTime } from "../../../../base/clock.ts"
import { UserError } from "../../../../base/errors.ts"
import { shorten, spanText } from "../../../../base/text/text.ts"
import { apiCommand, withClient } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { idHelp, minutesUntil, spanOfTime } from "../../option-values.ts"
import { table } from "../../output.ts"
import { folder } from "../../scope-options.ts"
import { shortIds } from "../../short-ids.ts"
import { inTime } from "../../view/times.ts"

interface AddOptions {
  in?: number
  at?: string
  priority: "low" | "normal" | "high"
  project?: string | true
}

/** `reverie queue …` */
export function queueCommand(program: Command, needs: CliNeeds): void {
  const queue = program.command("queue").description("show and change what is planned for tending")
  apiCommand(
    needs,
    queue.command("list", { isDefault: true }).description("list what is planned, the most urgent first"),
    (client) => client.queue(),
    ({ items }) => {
      if (items.length === 0) return needs.output.say("Nothing is planned.")
      const short = shortIds(items.map(({ id }) => id))
      const rows = items.map((item) => rowOf({ ...item, id: short(item.id) }, needs.clock.now()))
      needs.output.data(table(rows, needs.output.width))
    },
  )
  addCommand(queue, needs)
  apiCommand(
    needs,
    queue.command("cancel").description("remove an item from the queue").argument("<id>", idHelp),
    (client, id: string) => client.queueCancel(id),
    ({ item }) => needs.output.say(`Cancelled: ${shorten(item.context, 100)}`),
  )
}

function addCommand(queue: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    queue
      .command("add")
      .description("plan something for a cycle")
      .argument("<text...>", "what to do, in your own words")
      .option("--in <span>", "after a while, such as 30m", spanOfTime)
      .option("--at <time>", "at a time, such as 18:00")
      .addOption(
        new Option("--priority <priority>", "how urgent it is")
          .choices(["low", "normal", "high"])
          .default("normal"),
      )
      .option("--project [dir]", "the project it is about (default: the current folder's)"),
    (client, words: string[], options: AddOptions) =>
      client.queueAdd(itemOf(needs, words.join(" "), options)),
    async ({ item: { id, dueAt } }) => {
      const due = inTime(dueAt, needs.clock.now())
      const when = due === "now" ? "for the next cycle" : due
      needs.output.say(`Planned ${when}. \`reverie queue cancel ${id}\` cancels it.`)
      needs.output.data(id)
      const { status, reason } = await withClient(needs, (client) => client.ambient())
      if (["off", "paused", "stopped"].includes(status))
        needs.output.say(`Tending is not running, so it waits: ${reason}`)
    },
  )
}

const longestText = 2000

function itemOf(needs: CliNeeds, context: string, options: AddOptions) {
  if (options.in !== undefined && options.at !== undefined)
    throw new UserError("usage", "Give --in or --at, not both.")
  if (context.trim() === "") throw new UserError("usage", "Say what to do.")
  if (context.length > longestText)
    throw new UserError(
      "usage",
      `A plan has at most ${longestText} characters; this one has ${context.length}.`,
    )
  const minutes = options.at === undefined ? options.in : minutesUntil(needs, "--at", options.at)
  const project = folder(needs, options.project)
  return { context, from: needs.cwd, priority: options.priority, minutes, project }
}

function rowOf({ id, priority, dueAt, state, attempts, context }: QueueItemJson, now: number): string[] {
  const again = attempts > 0 && state === "waiting" ? `, tried ${attempts} ×` : ""
  const due = state === "claimed" ? "in progress" : dueText(dueAt, now)
  return [id, priority, due + again, shorten(context, 200)]
}

function dueText(dueAt: string, now: number): string {
  const late = now - (parseTime(dueAt) ?? now)
  return late >= 60_000 ? `overdue by ${spanText(late)}` : inTime(dueAt, now)
}
