import { type Command, Option } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { SessionJson } from "../../../../api/contract/session-answers.ts"
import { count, escapeControls, shorten } from "../../../../base/text/text.ts"
import { sessionStatuses, sessionTools } from "../../../../sessions/session.ts"
import { apiCommand } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { idHelp, limitOption, wholeNumber } from "../../option-values.ts"
import { table } from "../../output.ts"
import { folder } from "../../scope-options.ts"
import { shortIds } from "../../short-ids.ts"
import { skippedLines } from "../../view/skipped.ts"
import { timeAgo } from "../../view/times.ts"

interface ListOptions {
  tool?: SessionJson["tool"]
  project?: string | true
  status?: SessionJson["status"]
  limit: number
}

/** `reverie sessions …` */
export function sessionsCommand(program: Command, needs: CliNeeds): void {
  const sessions = program
    .command("sessions")
    .description("list your sessions with coding agents, newest first")
    .option("--tool <tool>", `only this tool's: ${sessionTools.join(", ")}, or a name of your own`)
    .option("--project [dir]", "only those of this folder's project (default: the current one)")
    .addOption(new Option("--status <status>", "only those with this status").choices(sessionStatuses))
    .addOption(limitOption(1000, 20))
  apiCommand(
    needs,
    sessions,
    (client, { tool, project, status, limit }: ListOptions) =>
      client.sessions({ tool, status, limit, project: folder(needs, project) }),
    (answer, { tool, project, status }) => showList(needs, answer, Boolean(tool ?? project ?? status)),
  )
  apiCommand(
    needs,
    sessions
      .command("retry")
      .description("read transcripts again that are skipped because reading them failed")
      .argument("[file]", "only this one"),
    (client, place: string | undefined) => client.retrySessions({ place }),
    ({ retried }) =>
      needs.output.say(
        retried === 0 ? "No transcript is skipped." : `${count(retried, "transcript")} will be read again.`,
      ),
  )
  apiCommand(
    needs,
    sessions
      .command("show")
      .description("show one session and its messages")
      .argument("<id>", idHelp)
      .option("--from <number>", "begin at this turn", wholeNumber(1_000_000))
      .option("--limit <number>", "how many turns at most, 1 to 1000", wholeNumber(1000), 200),
    (client, id: string, { from = 0, limit }: { from?: number; limit: number }) =>
      client.session(id, { from, limit }),
    (answer) => showOne(needs, answer),
  )
}

function showList(
  { output, clock }: CliNeeds,
  { sessions, skipped }: Answer<"sessions">,
  isFiltered: boolean,
): void {
  for (const line of skippedLines(skipped)) output.say(`${line}.`)
  if (sessions.length === 0)
    return void output.say(
      isFiltered
        ? "There is no such session."
        : "There are no sessions yet. While the daemon runs, those of your coding agents appear here.",
    )
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
    ["title", escapeControls(session.title ?? "-")],
    ["status", `${session.status} since ${session.statusAt}`],
    ["project", session.projectName ?? "-"],
    ["folder", session.folder ?? "-"],
    ["branch", session.branch ?? "-"],
    ["from", `${session.startedAt} to ${session.updatedAt}`],
    ["turns", `${session.turns}, ${session.extractedTurns} read for memories`],
  ]
  output.data(table(rows, output.width))
  output.data(learnedText(learned))
  for (const { position, role, at, text, tool, isError } of turns) {
    const who = role === "tool" ? `${tool ?? "tool"}${isError ? " failed" : ""}` : role
    output.data(`\n${output.paint("dim", `${position}  ${at}  ${who}`)}\n${escapeControls(text)}`)
  }
  if (turns.length === 0) output.say("Its messages are no longer stored.")
  if (next !== null) output.say(`More: add --from ${next}`)
}

function learnedText(learned: Answer<"session">["learned"]): string {
  if (learned.length === 0) return "\nLearned nothing."
  const lines = learned.map(({ id, type, status, content }) => {
    const waits = status === "quarantined" ? ", waits for a second session to confirm it" : ""
    return `  ${escapeControls(content)}  (${type}, ${id}${waits})`
  })
  return [`\nLearned ${count(learned.length, "thing")}:`, ...lines].join("\n")
}
