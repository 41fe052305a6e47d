import { type Command, Option } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { SessionJson } from "../../../../api/contract/session-answers.ts"
import { count, shorten, visible } from "../../../../base/text/text.ts"
import { sessionStatuses, sessionTools } from "../../../../sessions/session.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { shortIds } from "../../short-ids.ts"
import { skippedLines } from "../../view/skipped.ts"
import { timeAgo } from "../../view/times.ts"
import { folder } from "../../view/view.ts"
import { wholeNumber } from "../../whole-number.ts"

interface ListOptions {
  tool?: SessionJson["tool"]
  project?: string | true
  status?: SessionJson["status"]
  limit: number
  json?: boolean
}

interface ShowOptions {
  from: number
  limit: number
  json?: boolean
}

/** `reverie sessions …` */
export function sessionsCommand(program: Command, needs: CliNeeds): void {
  const sessions = program
    .command("sessions")
    .description("your sessions with coding agents, the newest first")
    .option("--tool <tool>", `only this tool's: ${sessionTools.join(", ")}, or a name of your own`)
    .option("--project [dir]", "only those of this folder's project (default: the current one)")
    .addOption(new Option("--status <status>", "only those with this status").choices(sessionStatuses))
    .option("--limit <number>", "how many at most, 1 to 1000", wholeNumber(1000), 20)
    .option("--json", "answer in JSON")
    .action(async ({ tool, project, status, limit, json }: ListOptions) => {
      const query = { tool, status, limit, project: folder(needs, project) }
      const answer = await withClient(needs, (client) => client.sessions(query))
      if (json) return needs.output.json(answer)
      showList(
        needs,
        answer,
        [tool, project, status].some((one) => one !== undefined),
      )
    })
  sessions
    .command("retry")
    .description("read transcripts again that are skipped because reading them failed")
    .argument("[file]", "only this one")
    .option("--json", "answer in JSON")
    .action(async (location: string | undefined, { json }: { json?: boolean }) => {
      const answer = await withClient(needs, (client) => client.retrySessions({ place: location }))
      if (json) return needs.output.json(answer)
      const { retried } = answer
      needs.output.say(
        retried === 0 ? "No transcript is skipped." : `${count(retried, "transcript")} will be read again.`,
      )
    })
  sessions
    .command("show")
    .description("show one session and what was said in it")
    .argument("<id>", "its id, or the beginning or end of it")
    .option("--from <number>", "begin at this turn", wholeNumber(1_000_000))
    .option("--limit <number>", "how many turns at most, 1 to 1000", wholeNumber(1000), 200)
    .option("--json", "answer in JSON")
    .action(async (id: string, { from = 0, limit, json }: ShowOptions) => {
      const answer = await withClient(needs, (client) => client.session(id, { from, limit }))
      if (json) return needs.output.json(answer)
      showOne(needs, answer)
    })
}

function showList(
  { output, clock }: CliNeeds,
  { sessions, skipped }: Answer<"sessions">,
  isNarrowed: boolean,
): void {
  for (const line of skippedLines(skipped)) output.say(`${line}.`)
  if (sessions.length === 0) {
    output.say(
      isNarrowed
        ? "There is no such session."
        : "No session has been read yet. While the daemon runs, those of your coding agents appear here.",
    )
    return
  }
  const short = shortIds(sessions.map(({ id }) => id))
  const rows = sessions.map((session) => [
    short(session.id),
    session.tool,
    session.status,
    timeAgo(session.updatedAt, clock.now()),
    shorten(session.projectName ?? "-", 16),
    count(session.turns, "turn"),
    session.learned === 0 ? "" : `learned ${session.learned}`,
    shorten(session.title ?? "", 100),
  ])
  output.data(table(rows, output.width))
}

function showOne({ output }: CliNeeds, { session, learned, turns, next }: Answer<"session">): void {
  const rows = [
    ["id", session.id],
    ["title", visible(session.title ?? "-")],
    ["status", `${session.status} since ${session.statusAt}`],
    ["project", session.projectName ?? "-"],
    ["folder", session.folder ?? "-"],
    ["branch", session.branch ?? "-"],
    ["from", `${session.startedAt} to ${session.updatedAt}`],
    ["turns", `${session.turns}, ${session.extractedTurns} looked through for memories`],
  ]
  output.data(table(rows, output.width))
  output.data(learnedText(learned))
  for (const { position, role, at, text, tool, isError } of turns) {
    const who = role === "tool" ? `${tool ?? "tool"}${isError ? " failed" : ""}` : role
    output.data(`\n${output.paint("dim", `${position}  ${at}  ${who}`)}\n${visible(text)}`)
  }
  if (turns.length === 0) output.say("None of what was said is kept.")
  if (next !== null) output.say(`More: add --from ${next}`)
}

function learnedText(learned: Answer<"session">["learned"]): string {
  if (learned.length === 0) return "\nLearned nothing."
  const lines = learned.map(({ id, type, status, content }) => {
    const waits = status === "quarantined" ? ", waits for a second session to confirm it" : ""
    return `  ${visible(content)}  (${type}, ${id}${waits})`
  })
  return [`\nLearned ${count(learned.length, "thing")}:`, ...lines].join("\n")
}
