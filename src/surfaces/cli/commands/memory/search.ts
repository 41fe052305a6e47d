import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { UserError } from "../../../../base/errors.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
import { shortIds } from "../../short-ids.ts"
import { showHit } from "../../view/show-hit.ts"
import { collect, type ViewOptions, view, viewOptions } from "../../view/view.ts"
import { wholeNumber } from "../../whole-number.ts"

/** `reverie memory search`, also `reverie search` */
export function searchCommand(parent: Command, needs: CliNeeds): void {
  viewOptions(parent.command("search").description("find memories").argument("<query...>"))
    .option("--limit <number>", "how many at most, 1 to 200", wholeNumber(200), 10)
    .option("--audience <name>", "also what only they may see; several times", collect)
    .option("--only-audience <name>", "only what they and nobody else may see")
    .option("--sure", "only what is sure; nothing, if nothing is")
    .option("--unlikely", "also what probably has nothing to do with it")
    .action(async (words: string[], options: ViewOptions & SearchOptions) => {
      const { limit, audience, onlyAudience } = options
      if (words.join(" ").trim() === "")
        throw new UserError("usage", "There is nothing to search for; give some words.")
      const query = {
        query: words.join(" "),
        limit,
        audience,
        onlyAudience,
        gate: gateOf(options),
        ...view(needs, options),
      }
      const found = await withClient(needs, (client) => client.search(query))
      return options.json ? needs.output.json(found) : showFound(needs, found)
    })
}

function gateOf({ sure, unlikely }: SearchOptions): "true" | "false" | "strict" {
  if (sure && unlikely) throw new UserError("usage", "Give --sure or --unlikely, not both.")
  if (unlikely) return "false"
  return sure ? "strict" : "true"
}

function showFound(needs: CliNeeds, { reason, results, abstained }: Answer<"search">): void {
  if (reason) needs.output.say(`Nothing can be found: ${reason}.`)
  else if (results.length === 0) needs.output.say("Nothing found.")
  else if (abstained) needs.output.say("Not sure. These come nearest:")
  const short = shortIds(results.map(({ id }) => id))
  for (const hit of results) showHit(needs, hit, short)
}

interface SearchOptions {
  limit: number
  audience?: string[]
  onlyAudience?: string
  sure?: boolean
  unlikely?: boolean
}
