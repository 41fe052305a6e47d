import type { ChangedAnswer } from "../../../api/contract.ts"
import { count, shorten } from "../../../base/text/text.ts"
import type { CliNeeds } from "../needs.ts"

/** Tells what an act changed: the ids as data, a sentence as prose. */
export function tellChanged(needs: CliNeeds, answer: ChangedAnswer, options: { json?: boolean }): void {
  if (options.json) needs.output.json(answer)
  else if (answer.outcome === "unchanged") needs.output.say("No change: already done.")
  else tellInWords(needs, answer)
}

function tellInWords(needs: CliNeeds, answer: ChangedAnswer): void {
  const [first] = answer.memories
  const one = answer.memories.length === 1 && first ? `: ${shorten(first.content, 80)}` : ""
  const many = answer.memories.length > 1 ? ` (${count(answer.memories.length, "memory", "memories")})` : ""
  const outcome = answer.outcome[0]?.toUpperCase() + answer.outcome.slice(1)
  needs.output.say(`${outcome}${one}${many}. \`${needs.env.command} undo\` takes it back.`)
  for (const { id } of answer.memories) needs.output.data(id)
}
