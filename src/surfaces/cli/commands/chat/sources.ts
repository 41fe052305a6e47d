import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"

interface Json {
  json?: boolean
}

/** `reverie chat sources …` */
export function chatSourcesCommand(chat: Command, needs: CliNeeds): void {
  const sources = chat
    .command("sources")
    .description("show which sources Reverie reads, their state, and how people responded to posts from them")
    .option("--community <community>", "only for this one: PLATFORM/COMMUNITY, or COMMUNITY")
    .option("--json", "answer in JSON")
    .action((options: Json & { community?: string }) => list(needs, options))
  sources
    .command("undo")
    .description("take back a change of sources that it made by itself")
    .argument("<id>", "the change, as `reverie chat sources` lists it")
    .option("--json", "answer in JSON")
    .action((id: string, _options: Json, command: Command) => undo(needs, id, command.optsWithGlobals()))
}

async function list(needs: CliNeeds, { json, community }: Json & { community?: string }): Promise<void> {
  const answer = await withClient(needs, (client) => client.chatSources({ community }))
  if (json) return needs.output.json(answer)
  if (answer.sources.length === 0) needs.output.say("Reverie reads no sources.")
  else needs.output.data(table([head, ...answer.sources.map(row)]))
  const changes = answer.changes.filter(({ holds }) => holds)
  if (changes.length === 0) return
  const rows = changes.map(({ id, at, change, source, community: of, reason }) => [
    ...[id, at.slice(0, 16).replace("T", " "), `${change} for ${of}`, source, reason],
  ])
  needs.output.data(
    ["", "Changed by Reverie itself (`reverie chat sources undo ID` undoes one):", table(rows)].join("\n"),
  )
}

const head = ["source", "by", "state", "last read", "entries", "shared", "liked", "disliked", "ignored"]

function row(one: Answer<"chatSources">["sources"][number]): string[] {
  const by = one.addedBy === "person" ? "settings" : `itself, for ${one.community}`
  const state = one.state === "failing" ? `failed ${one.failures} times: ${one.error ?? ""}` : one.state
  const read = one.lastRead === null ? "never" : one.lastRead.slice(0, 16).replace("T", " ")
  const counts = [one.entries, one.shared, one.liked, one.disliked, one.ignored].map(String)
  return [one.source, by, state, read, ...counts]
}

async function undo(needs: CliNeeds, id: string, { json }: Json): Promise<void> {
  const answer = await withClient(needs, (client) => client.chatSourcesUndo({ id }))
  if (json) return needs.output.json(answer)
  const done = answer.change === "added" ? "is not read any more" : "is read again"
  needs.output.say(`${answer.source} ${done} for ${answer.community}.`)
}
