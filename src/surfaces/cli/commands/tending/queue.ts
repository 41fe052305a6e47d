import { type Command, Option } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { QueueItemJson } from "../../../../api/contract/tending-answers.ts"
import { parseTime } from "../../../../base/clock.ts"
import { UserError } from "../../../../base/errors.ts"
import { shorten, spanText } from "../../../../base/text/text.ts"
import { calledAs } from "../../called.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { shortIds } from "../../short-ids.ts"
import { inTime } from "../../view/times.ts"
import { folder } from "../../view/view.ts"
import { minutesUntil, spanOfTime } from "../../view/when.ts"

interface AddOptions {
  in?: number
  at?: string
  priority: "low" | "normal" | "high"
  project?: string | true
  json?: boolean
}

/** `reverie queue …` */
export function queueCommand(program: Command, needs: CliNeeds): void {
  const queue = program.command("queue").description("what is planned for tending")
  queue
    .command("list", { isDefault: true })
    .description("list what waits, the most pressing first")
    .option("--json", "answer in JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const answer = await withClient(needs, (client) => client.queue())
      if (json) return needs.output.json(answer)
      if (answer.items.length === 0) return needs.output.say("Nothing is planned.")
      const short = shortIds(answer.items.map(({ id }) => id))
      const rows = answer.items.map((item) => rowOf({ ...item, id: short(item.id) }, needs.clock.now()))
      needs.output.data(table(rows, needs.output.width))
    })
  queue
    .command("add")
    .description("plan something for a cycle")
    .argument("<text...>", "what to do, in your own words")
    .option("--in <span>", "after a while, such as 30m", spanOfTime)
    .option("--at <time>", "at a time, such as 18:00")
    .addOption(
      new Option("--priority <priority>", "how pressing it is")
        .choices(["low", "normal", "high"])
        .default("normal"),
    )
    .option("--project [dir]", "the project it is about (default: the current folder's)")
    .option("--json", "answer in JSON")
    .action((words: string[], options: AddOptions) => add(needs, words.join(" "), options))
  queue
    .command("cancel")
    .description("take something out of the queue")
    .argument("<id>", "its id, or the beginning or end of it")
    .option("--json", "answer in JSON")
    .action(async (id: string, { json }: { json?: boolean }) => {
      const answer = await withClient(needs, (client) => client.queueCancel(id))
      if (json) return needs.output.json(answer)
      needs.output.say(`Cancelled: ${shorten(answer.item.context, 100)}`)
    })
}

/** How tending stands when nothing that is planned is done. */
const waiting: ReadonlySet<Answer<"ambient">["status"]> = new Set(["off", "paused", "stopped"])

async function add(needs: CliNeeds, context: string, options: AddOptions): Promise<void> {
  if (options.in !== undefined && options.at !== undefined)
    throw new UserError("usage", "Give --in or --at, not both.")
  const minutes = options.at === undefined ? options.in : minutesUntil(needs, "--at", options.at)
  const longest = 2000
  if (context.trim() === "") throw new UserError("usage", "Say what is to be done.")
  if (context.length > longest)
    throw new UserError("usage", `A plan has ${longest} characters at most; this one has ${context.length}.`)
  const project = folder(needs, options.project)
  const asked = {
    context,
    from: needs.cwd,
    priority: options.priority,
    ...(minutes === undefined ? {} : { minutes }),
    ...(project === undefined ? {} : { project }),
  }
  const { answer, ambient } = await withClient(needs, async (client) => {
    const added = await client.queueAdd(asked)
    return { answer: added, ambient: await client.ambient() }
  })
  if (options.json) return needs.output.json(answer)
  const { id, dueAt } = answer.item
  const due = inTime(dueAt, needs.clock.now())
  const when = due === "now" ? "with the next cycle" : due
  needs.output.say(`Planned ${when}. \`${calledAs(needs.env.command)} queue cancel ${id}\` takes it out.`)
  if (waiting.has(ambient.status)) needs.output.say(`Tending is not running, so it waits: ${ambient.reason}`)
  needs.output.data(id)
}

function rowOf({ id, priority, dueAt, state, attempts, context }: QueueItemJson, now: number): string[] {
  const again = attempts > 0 && state === "waiting" ? `, tried ${attempts} ×` : ""
  return [
    id,
    priority,
    (state === "claimed" ? "in work" : dueText(dueAt, now)) + again,
    shorten(context, 200),
  ]
}

function dueText(dueAt: string, now: number): string {
  const late = now - (parseTime(dueAt) ?? now)
  return late >= 60_000 ? `due for ${spanText(late)}` : inTime(dueAt, now)
}
