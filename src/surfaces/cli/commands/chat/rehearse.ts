import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { count } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { wholeNumber } from "../../option-values.ts"
import { table } from "../../output.ts"
import { minuteText } from "../../view/times.ts"

/** `reverie chat rehearse` */
export function chatRehearseCommand(chat: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    chat
      .command("rehearse")
      .description("show what Reverie would have posted by itself in a community; posts nothing")
      .requiredOption("--community <community>", "PLATFORM/COMMUNITY")
      .option("--hours <hours>", "how many of the last hours to go through", wholeNumber(168), 24),
    (client, { community, hours }: { community: string; hours: number }) =>
      client.chatRehearse({ community, hours }),
    (answer) => {
      needs.output.data(rehearsalText(answer))
      needs.output.say("This was a rehearsal: nothing was posted. Only the cost was recorded.")
    },
  )
}

const stepNames: Record<string, string> = {
  "thought.posted": "would have posted",
  "thought.held": "would have kept",
  "thought.dropped": "would have dropped",
  "thought.returned": "would have postponed",
  "thought.failed": "failed to ask the model",
}

function rehearsalText(answer: Answer<"chatRehearse">): string {
  const { community, from, until, messages, steps, silence, calls, tokens, usd, isCut } = answer
  const rows = steps.map(({ at, kind, room, text, reason }) => [
    ...["", minuteText(at), stepNames[kind] ?? kind, room ?? "", text ?? "", reason],
  ])
  const refused = silence.map(({ gate, reason, times }) => ["", gate, count(times, "time"), reason])
  return [
    `${community}, ${minuteText(from)} to ${minuteText(until)}, by ${count(messages, "stored message")}:`,
    rows.length === 0 ? "  It would have had nothing to post." : table(rows),
    ...(refused.length === 0 ? [] : ["Why it would have posted nothing else:", table(refused)]),
    `${count(calls, "model call")}, ${tokens.input + tokens.output} tokens, $${usd.toFixed(4)}.`,
    ...(isCut ? ["It stopped early: a rehearsal checks 40 times at most. Give fewer --hours."] : []),
  ].join("\n")
}
