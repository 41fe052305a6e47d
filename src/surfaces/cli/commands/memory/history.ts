import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { count, shorten } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { idHelp } from "../../option-values.ts"

/** `reverie memory history` */
export function historyCommand(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    memory.command("history").description("show every change to a memory").argument("<id>", idHelp),
    (client, id: string) => client.history(id),
    ({ events }) => {
      for (const event of events) needs.output.data(eventText(needs, event))
    },
  )
}

type EventJson = Answer<"history">["events"][number]

function eventText(needs: CliNeeds, event: EventJson): string {
  const undone = event.undoes === null ? "" : `, undoing ${event.undoes}`
  const by = needs.output.paint("dim", `by ${event.actor}, ${event.operation}${undone}`)
  const head = `${event.at}  ${event.kind.padEnd(18)}  ${by}`
  return [head, ...detailLines(event).map((line) => `  ${line}`)].join("\n")
}

function detailLines({ edge, changes, content, purged }: EventJson): string[] {
  if (purged) return ["(the text was purged)"]
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
  if (value.some((item) => typeof item === "object")) return count(value.length, "entry", "entries")
  return shorten(value.map(String).join(", "), 120)
}
