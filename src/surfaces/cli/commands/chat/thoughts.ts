import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { count } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { wholeNumber } from "../../option-values.ts"
import { table } from "../../output.ts"
import { minuteText } from "../../view/times.ts"

/** `reverie chat thoughts` */
export function chatThoughtsCommand(chat: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    chat
      .command("thoughts")
      .description("show what Reverie plans to post by itself, what it posted, and why it posted nothing")
      .option("--community <community>", "only in this one: PLATFORM/COMMUNITY")
      .option("--limit <number>", "how many of the last events", wholeNumber(200), 10),
    (client, { community, limit }: { community?: string; limit: number }) =>
      client.chatThoughts({ community, limit }),
    ({ communities, note }) => {
      if (communities.length > 0) needs.output.data(communities.map(communityText).join("\n\n"))
      if (note !== null) needs.output.say(note)
    },
  )
}

type Community = Answer<"chatThoughts">["communities"][number]

function communityText({ community, thought, postsToday, silence, recent }: Community): string {
  const rows = recent.map(({ at, what, reason, room }) => ["", minuteText(at), what, room ?? "", reason])
  return [
    `${community}: ${count(postsToday, "post")} in the last 24 hours`,
    ...(thought ? thoughtLines(thought) : []),
    ...(silence ? [`  It posts nothing now (${silence.gate}): ${silence.reason}`] : []),
    ...(rows.length > 0 ? [table(rows)] : []),
  ].join("\n")
}

function thoughtLines(thought: NonNullable<Community["thought"]>): string[] {
  const { room, text, createdAt, expiresAt, revision, calls, media, reason } = thought
  const parts = [
    `since ${minuteText(createdAt)}`,
    `until ${minuteText(expiresAt)}`,
    `version ${revision}`,
    count(calls, "call"),
    ...(media ? [`with a ${media.kind}`] : []),
  ]
  return [
    `  ${thought.isLeaving ? "It is posting" : "It plans to post"} in ${room}: ${text}`,
    `    ${parts.join(", ")}${reason === "" ? "" : `: ${reason}`}`,
  ]
}
