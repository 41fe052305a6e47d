import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { escapeControls, shorten } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { idHelp } from "../../option-values.ts"
import { type ScopeOptions, scopeOf, scopeOptions } from "../../scope-options.ts"

/** `reverie memory why` */
export function whyCommand(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    scopeOptions(memory.command("why"))
      .description("explain why Reverie believes a memory, and why a question finds it or not")
      .argument("<id>", idHelp)
      .option("--query <text>", "the question that should find it"),
    (client, id: string, { query, ...scope }: ScopeOptions & { query?: string }) =>
      client.why(id, { ...scopeOf(needs, scope), query }),
    ({ memory: { content }, sentences, finding }) => {
      const lines = sentences.map((sentence) => `- ${escapeControls(sentence)}`)
      needs.output.data([escapeControls(content), "", ...lines].join("\n"))
      if (finding) needs.output.data(`- ${findingText(finding)}`)
    },
  )
}

function findingText(finding: NonNullable<Answer<"why">["finding"]>): string {
  const question = `"${shorten(finding.query, 80)}"`
  if (!finding.found) return `${question} does not find it: ${finding.reason}.`
  const via = finding.via.length === 0 ? "" : `, by ${finding.via.join(" and ")}`
  const rank = `number ${finding.rank} of ${finding.answers}`
  return `${question} finds it as ${rank}, with score ${finding.score?.toFixed(2)}${via}.`
}
