import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { UserError } from "../../../../base/errors.ts"
import { count, escapeControls, shorten } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { folder } from "../../scope-options.ts"

interface RecallOptions {
  session?: string
  project?: string | true
  gaps?: boolean
}

/** `reverie recall` */
export function recallCommand(program: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    program
      .command("recall")
      .description("show what a prompt would bring up in a session now, and why; changes nothing")
      .argument("[text...]", "the prompt")
      .option("--session <id>", "as if it were written in this session, such as codex:ID")
      .option("--project [dir]", "the project of this folder (default: the current one)")
      .option("--gaps", "show the questions that found nothing"),
    async (client, words: string[], options: RecallOptions) => {
      if (options.gaps && words.length > 0) throw new UserError("usage", "Give a prompt or --gaps, not both.")
      const project = folder(needs, options.project ?? true)
      if (options.gaps) return client.gaps(options.project === undefined ? {} : { project })
      if (words.length === 0)
        throw new UserError("usage", "Give the prompt to try, such as `reverie recall how do I deploy`.")
      const id = options.session ?? "reverie:recall"
      const session = { id, tool: id.split(":")[0] || "reverie", project }
      return client.recallPreview({ session, text: words.join(" ") })
    },
    (answer) => ("gaps" in answer ? showGaps(needs, answer) : show(needs, answer)),
  )
}

function show({ output }: CliNeeds, answer: Answer<"recallPreview">): void {
  if (answer.reason) output.say(`Nothing can be brought up: ${answer.reason}.`)
  else if (answer.text === "") output.say("Nothing would be brought up.")
  else output.data(escapeControls(answer.text))
  for (const { id, score, via } of answer.memories)
    output.say(`${id}  ${score.toFixed(2)}  found by ${via.join(", ") || "unknown"}`)
  if (answer.leftOut.length === 0) return
  output.say(`\nClose, but left out (${answer.confidence.toFixed(2)} that anything matters):`)
  for (const { id, score, content, reason } of answer.leftOut)
    output.say(`${id}  ${score.toFixed(2)}  ${shorten(content, 60)}: ${reason}`)
}

function showGaps({ output }: CliNeeds, { gaps }: Answer<"gaps">): void {
  if (gaps.length === 0) output.say("Every question so far found something.")
  for (const { question, times } of gaps) output.data(`${shorten(question, 120)}  (${count(times, "time")})`)
}
