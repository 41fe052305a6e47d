import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { count } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { wholeNumber } from "../../whole-number.ts"

interface Options {
  community?: string
  limit: number
  json?: boolean
}

/** `reverie chat thoughts` */
export function chatThoughtsCommand(chat: Command, needs: CliNeeds): void {
  chat
    .command("thoughts")
    .description("show what Reverie plans to post by itself, what it posted, and why it posted nothing")
    .option("--community <community>", "only in this one: PLATFORM/COMMUNITY")
    .option("--limit <number>", "how many of the last events", wholeNumber(200), 10)
    .option("--json", "answer in JSON")
    .action((options: Options) => thoughts(needs, options))
}

async function thoughts(needs: CliNeeds, { community, limit, json }: Options): Promise<void> {
  const answer = await withClient(needs, (client) => client.chatThoughts({ community, limit }))
  if (json) return needs.output.json(answer)
  if (answer.communities.length > 0) needs.output.data(answer.communities.map(shown).join("\n\n"))
  if (answer.note !== null) needs.output.say(answer.note)
}

type Community = Answer<"chatThoughts">["communities"][number]

function shown({ community, thought, postsToday, silence, recent }: Community): string {
  const time = (at: string) => at.slice(0, 16).replace("T", " ")
  const held = thought
    ? [
        `  ${thought.isLeaving ? "It is saying" : "It keeps"} for ${thought.room}: ${thought.text}`,
        `    since ${time(thought.createdAt)}, until ${time(thought.expiresAt)}, version ${thought.revision}, ${count(thought.calls, "call")}${thought.media ? `, with a ${thought.media.kind}` : ""}${thought.reason === "" ? "" : `: ${thought.reason}`}`,
      ]
    : []
  const why = silence ? [`  It says nothing now (${silence.gate}): ${silence.reason}`] : []
  const rows = recent.map(({ at, what, reason, room }) => ["", time(at), what, room ?? "", reason])
  return [
    `${community}: ${count(postsToday, "thing")} said within 24 hours`,
    ...[...held, ...why],
    ...(rows.length > 0 ? [table(rows)] : []),
  ].join("\n")
}
