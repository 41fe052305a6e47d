import type { Command } from "commander"
import type { Extracted } from "../../../../api/contract/session-answers.ts"
import { count, visible } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"

interface ExtractOptions {
  dryRun?: boolean
  json?: boolean
}

type Session = Extracted["sessions"][number]
type Part = Session["parts"][number]

/** `reverie extract` */
export function extractCommand(program: Command, needs: CliNeeds): void {
  program
    .command("extract")
    .description("read sessions now for what is worth remembering, each message once")
    .argument(
      "[session]",
      "the session, or the beginning of its id (default: all that have something unread)",
    )
    .option("--dry-run", "only say what would be learned")
    .option("--json", "answer in JSON")
    .action(async (session: string | undefined, { dryRun = false, json }: ExtractOptions) => {
      const answer = await withClient(needs, (client) =>
        session === undefined ? client.extract({ dryRun }) : client.extractSession(session, { dryRun }),
      )
      if (json) return needs.output.json(answer)
      for (const one of answer.sessions) tell(needs, one, dryRun)
      needs.output.say(summary(answer))
    })
}

function tell({ output }: CliNeeds, { session, parts, isBusy }: Session, dryRun: boolean): void {
  if (isBusy) output.say(`${session} is being read by another process.`)
  for (const part of parts) {
    const head = `${session}  messages ${part.from} to ${part.to}, read by ${part.by}`
    const lines = part.learned.map((learned) => `  ${line(learned, dryRun)}`)
    output.data([head, ...(lines.length > 0 ? lines : ["  nothing to learn"])].join("\n"))
    if (part.note) output.say(`  No model read it: ${part.note}`)
  }
}

function line({ claim, outcome, id, reason }: Part["learned"][number], dryRun: boolean): string {
  const what = dryRun ? "would learn" : outcome
  const standing = claim.quarantined ? ", quarantined" : ""
  const where = claim.from === claim.to ? `message ${claim.to}` : `messages ${claim.from} to ${claim.to}`
  const why = `${claim.type}${standing}; ${claim.reason}, ${where}`
  return `${what}${id ? ` ${id}` : ""}  ${visible(claim.content)}  (${why}${reason ? `; ${reason}` : ""})`
}

function summary({ sessions, dryRun }: Extracted): string {
  const parts = sessions.flatMap((one) => one.parts)
  const learned = parts.flatMap((part) => part.learned).filter(({ outcome }) => outcome !== "refused").length
  if (parts.length === 0) return "There is nothing unread."
  const told = `${count(learned, "memory", "memories")} from ${count(sessions.length, "session")}`
  return dryRun ? `It would be ${told}.` : `${told}. \`reverie undo --list\` shows how to take it back.`
}
