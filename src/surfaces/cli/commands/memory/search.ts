import type { Command } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { collect, limitOption } from "../../option-values.ts"
import { type ScopeOptions, scopeOf, scopeOptions } from "../../scope-options.ts"
import { shortIds } from "../../short-ids.ts"
import { showHit } from "../../view/show-hit.ts"

interface SearchOptions extends ScopeOptions {
  limit: number
  audience?: string[]
  onlyAudience?: string
  sure?: boolean
  unlikely?: boolean
}

/** `reverie memory search`, also `reverie search` */
export function searchCommand(parent: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    scopeOptions(parent.command("search").description("find memories").argument("<query...>"))
      .addOption(limitOption(200, 10))
      .option("--audience <name>", "also memories that only this audience may see; repeatable", collect)
      .option("--only-audience <name>", "only memories of this audience")
      .option("--sure", "only sure results")
      .option("--unlikely", "also results that are probably unrelated"),
    (client, words: string[], { limit, audience, onlyAudience, ...options }: SearchOptions) => {
      const query = words.join(" ")
      if (query.trim() === "")
        throw new UserError("usage", "There is nothing to search for; give some words.")
      if (audience !== undefined && onlyAudience !== undefined)
        throw new UserError("usage", "Give --audience or --only-audience, not both.")
      const gate = gateOf(options)
      return client.search({ query, limit, audience, onlyAudience, gate, ...scopeOf(needs, options) })
    },
    ({ reason, results, abstained }) => {
      if (reason) needs.output.say(`Nothing can be found: ${reason}.`)
      else if (results.length === 0) needs.output.say("Nothing found.")
      else if (abstained) needs.output.say("Not sure. The closest results:")
      const short = shortIds(results.map(({ id }) => id))
      for (const hit of results) showHit(needs, hit, short)
    },
  )
}

function gateOf({ sure, unlikely }: { sure?: boolean; unlikely?: boolean }): "true" | "false" | "strict" {
  if (sure && unlikely) throw new UserError("usage", "Give --sure or --unlikely, not both.")
  if (unlikely) return "false"
  return sure ? "strict" : "true"
}
