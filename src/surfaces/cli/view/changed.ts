import type { Answer } from "../../../api/contract/answers.ts"
import type { Changes } from "../../../api/contract/memory-answers.ts"
import type { MayReplace } from "../../../api/contract/shown-memory.ts"
import { count, shorten, visible } from "../../../base/text/text.ts"
import { calledAs } from "../called.ts"
import type { CliNeeds } from "../needs.ts"
import { timeAgo } from "./times.ts"

/** Tells what an act changed: the ids as data, a sentence as prose. */
export function tellChanged(
  needs: CliNeeds,
  answer: Answer<"forget">,
  options: { json?: boolean },
  /** What was done to the memories, where the outcome does not say it. */
  deed = capitalised(answer.outcome),
): void {
  if (options.json) needs.output.json(answer)
  else if (answer.outcome === "unchanged") needs.output.say("No change: already done.")
  else tellInWords(needs, answer, deed)
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function tellInWords(needs: CliNeeds, answer: Changes, deed: string): void {
  const [first] = answer.memories
  const one = answer.memories.length === 1 && first ? `: ${shorten(first.content, 80)}` : ""
  const many = answer.memories.length > 1 ? ` (${count(answer.memories.length, "memory", "memories")})` : ""
  needs.output.say(`${deed}${one}${many}. \`${calledAs(needs.env.command)} undo\` takes it back.`)
  for (const { id } of answer.memories) needs.output.data(id)
}

/** Tells what a memory may replace, and how to decide. */
export function tellMayReplace({ clock, env, output }: CliNeeds, id: string, answer: MayReplace): void {
  for (const older of answer.mayReplace ?? []) {
    const text = visible(shorten(older.content, 120)).replaceAll("\n", " ")
    const decide = `${calledAs(env.command)} resolve ${id} ${older.id} --keep ${id}`
    const when = timeAgo(older.createdAt, clock.now())
    output.say(`This may replace: ${text} (${when}). \`${decide}\`, or \`--keep both\`.`)
  }
}
