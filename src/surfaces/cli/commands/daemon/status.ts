import { existsSync } from "node:fs"
import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { parseTime } from "../../../../base/clock.ts"
import { count, spanText } from "../../../../base/text/text.ts"
import { withClient } from "../../api-command.ts"
import { commandName, withCommandName } from "../../command-name.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { skippedLines } from "../../view/skipped.ts"
import { statusBox } from "../../view/status-box.ts"

/** `reverie status` */
export function statusCommand(program: Command, needs: CliNeeds): void {
  program
    .command("status")
    .description("show whether the daemon runs, what it remembers and what it does next")
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }) => {
      const status = await withClient(needs, (client) => client.status())
      if (options.json) return needs.output.json(status)
      showStatus(needs, status)
      await printToolProblems(needs)
    })
}

/** Prints why connected tools do not use the memory. Loads nothing if no tool was ever connected. */
async function printToolProblems(needs: CliNeeds): Promise<void> {
  if (!existsSync(needs.paths.connectionsDir)) return
  const { problemsOf, toolStates } = await import("../../connected-tools.ts")
  for (const line of toolStates(needs).flatMap(problemsOf)) needs.output.say(`! ${line}`)
}

/** Shows the status to people, with hints that can be copied. */
export function showStatus(needs: CliNeeds, status: Answer<"status">): void {
  needs.output.data(withCommandName(statusText(status, needs), needs.env.command))
}

/** Bare `reverie`: the status, and the next thing to do. */
export async function greet(needs: CliNeeds, json: boolean): Promise<void> {
  const status = await withClient(needs, (client) => client.status())
  if (json) return needs.output.json(status)
  showStatus(needs, status)
  needs.output.say(`\n${nextSteps(status, needs.env.command)}`)
}

/** The status for people. */
function statusText(status: Answer<"status">, needs: CliNeeds): string {
  const { daemon, memory } = status
  const bold = (text: string) => needs.output.paint("bold", text)
  const storage = `${memory.storage === "sqlite" ? "SQLite" : "PostgreSQL"}, ${memory.place}`
  const counts = `${count(memory.active, "memory", "memories")} in ${count(memory.projects, "project")}`
  const rows = [
    ["memory", memory.enabled ? counts : `switched off (memory.enabled); ${counts} stored`],
    ["storage", storage],
  ]
  if (memory.waiting > 0)
    rows.push([
      "waiting",
      `${count(memory.waiting, "note")} by agents; see \`reverie memory list --status quarantined --all-projects\`, accept with \`reverie memory restore ID\``,
    ])
  if (memory.conflicts > 0)
    rows.push(["undecided", `${count(memory.conflicts, "pair")} of memories; see \`reverie conflicts\``])
  if (memory.embedding?.state === "failed")
    rows.push(["search", `by words only for now. ${memory.embedding.reason ?? ""}`.trim()])
  for (const line of chatLines(status.chat)) rows.push(["chat", line])
  for (const line of skippedLines(status.sessions.skipped)) rows.push(["skipped", line])
  const longest = Math.max(...rows.map(([name = ""]) => name.length))
  const tending = hasTending(status) ? `\n${statusBox(needs, status, longest)}` : ""
  if (!daemon.running)
    return `${bold(`Reverie ${daemon.version}`)} · the daemon is not running\n${indented(rows, needs.output.width)}${tending}`
  const span = spanText(needs.clock.now() - (parseTime(daemon.since) ?? 0))
  rows.push(["socket", daemon.socket])
  if (daemon.url) rows.push(["http", `${daemon.url} (needs the installation's token)`])
  const head = `${bold(`Reverie ${daemon.version}`)} · running for ${span} (pid ${daemon.pid})`
  return `${head}\n${indented(rows, needs.output.width)}${tending}`
}

/** The state of each chat channel. */
function chatLines(chat: Answer<"status">["chat"]): string[] {
  if (chat === null) return []
  const each = chat.channels.map(({ platform, state, problem, communities }) => {
    const names = communities.map(({ name }) => name).join(", ")
    if (state === "connected" && problem === null) return `${platform}: connected (${names})`
    return `${platform}: ${state}${problem === null ? "" : `. ${problem}`}`
  })
  const muted = chat.isMuted ? ["muted everywhere; `reverie chat mute --all --off` unmutes it"] : []
  return [...each, ...chat.problems, ...muted]
}

/** Without a daemon the tending box appears only if tending ever ran. */
function hasTending({ daemon, queue, lastCycle, pausedUntil }: Answer<"status">): boolean {
  return daemon.running || queue.count > 0 || lastCycle !== null || pausedUntil !== null
}

function indented(rows: string[][], width: number): string {
  return table(rows, width - 2, "wrap")
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n")
}

/** What to do next. `called` is how the user calls the program. */
export function nextSteps(status: Answer<"status">, called: string): string {
  const command = commandName(called)
  if (!status.memory.enabled)
    return `Next: \`${command} config set memory.enabled true\` switches memory on again.`
  if (status.memory.total === 0) {
    return [
      "Next, add a memory and search for it:",
      `  ${command} add "The staging database runs on port 5433" --tag infra`,
      `  ${command} search staging port`,
      `  ${command} undo`,
      `Or watch a demo first: ${command} demo`,
    ].join("\n")
  }
  const all = `\`${command} --help\` lists all commands.`
  const { waiting } = status.inbox
  if (waiting > 0)
    return `Next: \`${command} inbox\`, where ${count(waiting, "request waits", "requests wait")} for you; ${all}`
  if (!status.daemon.running) return `Next: \`${command} start\` runs it in the background; ${all}`
  return `Next: \`${command} search WORDS\`, \`${command} tui\`, \`${command} journal --follow\`; ${all}`
}
