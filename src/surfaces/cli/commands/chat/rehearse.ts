import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { count } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { wholeNumber } from "../../whole-number.ts"

interface Options {
  community: string
  hours: number
  json?: boolean
}

/** `reverie chat rehearse` */
export function chatRehearseCommand(chat: Command, needs: CliNeeds): void {
  chat
    .command("rehearse")
    .description("show what Reverie would have posted by itself in a community; posts nothing")
    .requiredOption("--community <community>", "PLATFORM/COMMUNITY")
    .option("--hours <hours>", "how many of the last hours to go through", wholeNumber(168), 24)
    .option("--json", "answer in JSON")
    .action((options: Options) => rehearse(needs, options))
}

async function rehearse(needs: CliNeeds, { community, hours, json }: Options): Promise<void> {
  const answer = await withClient(needs, (client) => client.chatRehearse({ community, hours }))
  if (json) return needs.output.json(answer)
  needs.output.data(shown(answer))
  needs.output.say("This was a rehearsal: nothing was posted. Only the cost was recorded.")
}

const deeds: Record<string, string> = {
  "thought.posted": "would have said",
  "thought.held": "would have kept",
  "thought.dropped": "would have dropped",
  "thought.returned": "would have kept back",
  "thought.failed": "could not think",
}

function shown(answer: Answer<"chatRehearse">): string {
  const { community, from, until, messages, steps, silence, calls, tokens, usd, isCut } = answer
  const time = (at: string) => at.slice(0, 16).replace("T", " ")
  const rows = steps.map(({ at, kind, room, text, reason }) => [
    ...["", time(at), deeds[kind] ?? kind, room ?? "", text ?? "", reason],
  ])
  const refused = silence.map(({ gate, reason, times }) => ["", gate, count(times, "time"), reason])
  return [
    `${community}, ${time(from)} to ${time(until)}, by ${count(messages, "stored message")}:`,
    rows.length === 0 ? "  It would have had nothing to post." : table(rows),
    ...(refused.length === 0 ? [] : ["Why it would have said nothing else:", table(refused)]),
    `${count(calls, "call")} of a model, ${tokens.input + tokens.output} tokens, $${usd.toFixed(4)}.`,
    ...(isCut ? ["It stopped early: a rehearsal checks 40 times at most. Give fewer --hours."] : []),
  ].join("\n")
}
