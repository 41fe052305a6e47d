import type { Answer } from "../../../api/contract/answers.ts"
import type { MayReplace } from "../../../api/contract/shown-memory.ts"
import { count, escapeControls, shorten } from "../../../base/text/text.ts"
import type { CliNeeds } from "../needs.ts"
import { timeAgo } from "./times.ts"

/** Prints what changed: a sentence to stderr, the ids to stdout. `verb` replaces the outcome in the sentence. */
export function printChanges({ output }: CliNeeds, answer: Answer<"forget">, verb = answer.outcome): void {
  const { outcome, memories } = answer
  if (outcome === "unchanged") return void output.say("No change: already done.")
  const what = memories.length > 1 ? ` (${count(memories.length, "memory", "memories")})` : ""
  const text = memories.length === 1 ? `: ${shorten(memories[0]?.content ?? "", 80)}` : what
  output.say(`${verb.charAt(0).toUpperCase()}${verb.slice(1)}${text}. \`reverie undo\` undoes it.`)
  for (const { id } of memories) output.data(id)
}

/** Prints what a memory may replace, and how to decide. */
export function printMayReplace({ clock, output }: CliNeeds, id: string, answer: MayReplace): void {
  for (const older of answer.mayReplace ?? []) {
    const text = escapeControls(shorten(older.content, 120)).replaceAll("\n", " ")
    const when = timeAgo(older.createdAt, clock.now())
    const decide = `reverie resolve ${id} ${older.id} --keep ${id}`
    output.say(`This may replace: ${text} (${when}). \`${decide}\`, or \`--keep both\`.`)
  }
}
