import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { shorten, visible } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
import { type ViewOptions, view, viewOptions } from "../../view/view.ts"

/** `reverie memory why` */
export function whyCommand(memory: Command, needs: CliNeeds): void {
  viewOptions(
    memory.command("why").description("tell why a memory is believed, and why a question finds it or not"),
  )
    .argument("<id>", "its id, or the beginning or end of it")
    .option("--query <text>", "the question that should find it")
    .action(async (id: string, options: ViewOptions & { query?: string }) => {
      const asked = { ...view(needs, options), query: options.query }
      const answer = await withClient(needs, (client) => client.why(id, asked))
      if (options.json) return needs.output.json(answer)
      const sentences = answer.sentences.map((sentence) => `- ${visible(sentence)}`)
      needs.output.data([visible(answer.memory.content), "", ...sentences].join("\n"))
      if (answer.finding) needs.output.data(`- ${findingText(answer.finding)}`)
    })
}

function findingText(finding: NonNullable<Answer<"why">["finding"]>): string {
  const question = `"${shorten(finding.query, 80)}"`
  if (!finding.found) return `${question} does not find it: ${finding.reason}.`
  const via = finding.via.length === 0 ? "" : `, by ${finding.via.join(" and ")}`
  const of = `number ${finding.rank} of ${finding.answers}`
  return `${question} finds it as ${of}, with score ${finding.score?.toFixed(2)}${via}.`
}
