import type { Command } from "commander"
import type { Extracted } from "../../../../api/contract/session-answers.ts"
import { count, escapeControls } from "../../../../base/text/text.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"

type Session = Extracted["sessions"][number]
type Part = Session["parts"][number]

/** `reverie extract` */
export function extractCommand(program: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    program
      .command("extract")
      .description("extract memories from sessions now; each message is read once")
      .argument("[session]", "the session, or the beginning of its id (default: all with unread messages)")
      .option("--dry-run", "only say what would be learned"),
    (client, session: string | undefined, { dryRun = false }: { dryRun?: boolean }) =>
      session === undefined ? client.extract({ dryRun }) : client.extractSession(session, { dryRun }),
    (answer) => {
      for (const session of answer.sessions) showSession(needs, session, answer.dryRun)
      needs.output.say(summary(answer))
    },
  )
}

function showSession({ output }: CliNeeds, { session, parts, isBusy }: Session, dryRun: boolean): void {
  if (isBusy) output.say(`${session} is being read by another process.`)
  for (const part of parts) {
    const head = `${session}  messages ${part.from} to ${part.to}, read by ${part.by}`
    const lines = part.learned.map((learned) => `  ${line(learned, dryRun)}`)
    output.data([head, ...(lines.length > 0 ? lines : ["  nothing to learn"])].join("\n"))
    if (part.note) output.say(`  No model was used: ${part.note}`)
  }
}

function line({ claim, outcome, id, reason }: Part["learned"][number], dryRun: boolean): string {
  const what = dryRun ? "would learn" : outcome
  const quarantined = claim.quarantined ? ", quarantined" : ""
  const where = claim.from === claim.to ? `message ${claim.to}` : `messages ${claim.from} to ${claim.to}`
  const why = `${claim.type}${quarantined}; ${claim.reason}, ${where}`
  return `${what}${id ? ` ${id}` : ""}  ${escapeControls(claim.content)}  (${why}${reason ? `; ${reason}` : ""})`
}

function summary({ sessions, dryRun }: Extracted): string {
  const parts = sessions.flatMap((one) => one.parts)
  const learned = parts.flatMap((part) => part.learned).filter(({ outcome }) => outcome !== "refused").length
  if (parts.length === 0) return "There are no unread messages."
  const result = `${count(learned, "memory", "memories")} from ${count(sessions.length, "session")}`
  return dryRun ? `It would be ${result}.` : `${result}. \`reverie undo --list\` shows how to undo it.`
}
