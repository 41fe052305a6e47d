import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { count, shorten } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"

/** `reverie memory history` */
export function historyCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("history")
    .description("show everything that happened to a memory, change by change")
    .argument("<id>", "its id, or the beginning or end of it")
    .option("--json", "answer in JSON")
    .action(async (id: string, options: { json?: boolean }) => {
      const answer = await withClient(needs, (client) => client.history(id))
      if (options.json) return needs.output.json(answer)
      for (const event of answer.events) needs.output.data(eventText(needs, event))
    })
}

type EventJson = Answer<"history">["events"][number]

function eventText(needs: CliNeeds, event: EventJson): string {
  const undone = event.undoes === null ? "" : `, undoing ${event.undoes}`
  const by = needs.output.paint("dim", `by ${event.actor}, ${event.operation}${undone}`)
  const head = `${event.at}  ${event.kind.padEnd(18)}  ${by}`
  return [head, ...detailLines(event).map((line) => `  ${line}`)].join("\n")
}

function detailLines({ edge, changes, content, purged }: EventJson): string[] {
  if (purged) return ["(what it said is purged)"]
  if (edge) return [`${edge.source} ${edge.kind} ${edge.target}`, ...changes.map(changeText)]
  if (changes.length > 0) return changes.map(changeText)
  return content === null ? [] : [shorten(content, 200)]
}

function changeText({ field, from, to }: EventJson["changes"][number]): string {
  return `${field}: ${valueText(from)} → ${valueText(to)}`
}

function valueText(value: unknown): string {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return "nothing"
  if (typeof value === "string") return shorten(value, 120)
  if (!Array.isArray(value)) return shorten(JSON.stringify(value), 120)
  // Such as the times it was said again, of which the number matters.
  if (value.some((one) => typeof one === "object")) return count(value.length, "entry", "entries")
  return shorten(value.map(String).join(", "), 120)
}
