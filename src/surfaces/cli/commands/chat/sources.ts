import type { Command } from "commander"
import type { ChatSourceJson } from "../../../../api/contract/chat-answers.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { minuteText } from "../../view/times.ts"

/** `reverie chat sources …` */
export function chatSourcesCommand(chat: Command, needs: CliNeeds): void {
  const sources = chat
    .command("sources")
    .description("show which sources Reverie reads, their state, and how people responded to posts from them")
    .option("--community <community>", "only for this one: PLATFORM/COMMUNITY, or COMMUNITY")
  apiCommand(
    needs,
    sources,
    (client, { community }: { community?: string }) => client.chatSources({ community }),
    (answer) => {
      if (answer.sources.length === 0) needs.output.say("Reverie reads no sources.")
      else needs.output.data(table([head, ...answer.sources.map(sourceRow)]))
      const changes = answer.changes.filter(({ holds }) => holds)
      if (changes.length === 0) return
      const rows = changes.map(({ id, at, change, source, community, reason }) => [
        ...[id, minuteText(at), `${change} for ${community}`, source, reason],
      ])
      const title = "Changed by Reverie itself (`reverie chat sources undo ID` undoes one):"
      needs.output.data(["", title, table(rows)].join("\n"))
    },
  )
  apiCommand(
    needs,
    sources
      .command("undo")
      .description("undo a change of sources that Reverie made by itself")
      .argument("<id>", "the change, as `reverie chat sources` lists it"),
    (client, id: string) => client.chatSourcesUndo({ id }),
    ({ source, change, community }) => {
      const effect = change === "added" ? "no longer reads" : "reads"
      const again = change === "added" ? "" : " again"
      needs.output.say(`Reverie ${effect} ${source} for ${community}${again}.`)
    },
  )
}

const head = ["source", "by", "state", "last read", "entries", "shared", "liked", "disliked", "ignored"]

function sourceRow(source: ChatSourceJson): string[] {
  const { addedBy, community, lastRead, entries, shared, liked, disliked, ignored } = source
  const by = addedBy === "person" ? "settings" : `itself, for ${community}`
  const failing = `failed ${source.failures} times: ${source.error ?? ""}`
  const state = source.state === "failing" ? failing : source.state
  const counts = [entries, shared, liked, disliked, ignored].map(String)
  return [source.source, by, state, lastRead === null ? "never" : minuteText(lastRead), ...counts]
}
