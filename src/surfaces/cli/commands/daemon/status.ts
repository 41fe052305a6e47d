import { existsSync } from "node:fs"
import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { parseTime } from "../../../../base/clock.ts"
import { count, spanText } from "../../../../base/text/text.ts"
import { connectionsFolder } from "../../../../coding/connect/folder.ts"
import { calledAs, withCalledName } from "../../called.ts"
import type { CliNeeds } from "../../needs.ts"
import { listed } from "../../output.ts"
import { withClient } from "../../session.ts"
import { skippedLines } from "../../view/skipped.ts"
import { statusBox } from "../../view/status-box.ts"

/** `reverie status` */
export function statusCommand(program: Command, needs: CliNeeds): void {
  program
    .command("status")
    .description("show whether the daemon runs, what it remembers and what it does next")
    .option("--json", "answer in JSON")
    .action(async (options: { json?: boolean }) => {
      const status = await withClient(needs, (client) => client.status())
      if (options.json) return needs.output.json(status)
      showStatus(needs, status)
      await tellTroubles(needs)
    })
}

/** Connected tools that do not use the memory, and why. Where none was ever connected, nothing is loaded to look. */
async function tellTroubles(needs: CliNeeds): Promise<void> {
  if (!existsSync(connectionsFolder(needs.paths))) return
  const { readToolTroubles } = await import("../../view/tool-troubles.ts")
  for (const line of readToolTroubles(needs)) needs.output.say(`! ${line}`)
}

/** Shows the status to people, with hints that can be copied. */
export function showStatus(needs: CliNeeds, status: Answer<"status">): void {
  needs.output.data(withCalledName(statusText(status, needs), needs.env.command))
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
    ["memory", memory.enabled ? counts : `switched off (memory.enabled); ${counts} kept`],
    ["storage", storage],
  ]
  if (memory.waiting > 0)
    rows.push([
      "waiting",
      `${count(memory.waiting, "note")} of agents; see \`reverie memory list --status quarantined --all-projects\`, accept with \`reverie memory restore ID\``,
    ])
  if (memory.conflicts > 0)
    rows.push(["undecided", `${count(memory.conflicts, "pair")} of memories; see \`reverie conflicts\``])
  if (memory.embedding?.state === "failed")
    rows.push(["search", `by words alone for now. ${memory.embedding.reason ?? ""}`.trim()])
  for (const line of chatLines(status.chat)) rows.push(["chat", line])
  for (const line of skippedLines(status.sessions.skipped)) rows.push(["skipped", line])
  const longest = Math.max(...rows.map(([name = ""]) => name.length))
  const tending = isWorthTelling(status) ? `\n${statusBox(needs, status, longest)}` : ""
  if (!daemon.running)
    return `${bold(`Reverie ${daemon.version}`)} · the daemon is not running\n${indented(rows, needs.output.width)}${tending}`
  const span = spanText(needs.clock.now() - (parseTime(daemon.since) ?? 0))
  rows.push(["socket", daemon.socket])
  if (daemon.url) rows.push(["http", `${daemon.url} (needs the installation's token)`])
  const head = `${bold(`Reverie ${daemon.version}`)} · running for ${span} (pid ${daemon.pid})`
  return `${head}\n${indented(rows, needs.output.width)}${tending}`
}

/** How each chat channel stands. */
function chatLines(chat: Answer<"status">["chat"]): string[] {
  if (chat === null) return []
  const each = chat.channels.map(({ platform, state, problem, communities }) => {
    const names = communities.map(({ name }) => name).join(", ")
    if (state === "connected" && problem === null) return `${platform}: connected (${names})`
    return `${platform}: ${state}${problem === null ? "" : `. ${problem}`}`
  })
  const muted = chat.isMuted ? ["muted everywhere; `reverie chat mute --all --off` ends that"] : []
  return [...each, ...chat.problems, ...muted]
}

/** Without a daemon nobody tends; only what is left of it is told. */
function isWorthTelling({ daemon, queue, lastCycle, pausedUntil }: Answer<"status">): boolean {
  return daemon.running || queue.count > 0 || lastCycle !== null || pausedUntil !== null
}

function indented(rows: string[][], width: number): string {
  return listed(rows, width - 2)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n")
}

/** What to do next, given how things stand; `command` is how the user calls the program. */
export function nextSteps(status: Answer<"status">, called: string): string {
  const command = calledAs(called)
  if (!status.memory.enabled)
    return `Next: \`${command} config set memory.enabled true\` switches memory on again.`
  if (status.memory.total === 0) {
    return [
      "Next, tell it something and ask for it:",
      `  ${command} add "The staging database runs on port 5433" --tag infra`,
      `  ${command} search staging port`,
      `  ${command} undo`,
      `Or see it at work first: ${command} demo`,
    ].join("\n")
  }
  const all = `\`${command} --help\` lists all commands.`
  const { waiting } = status.inbox
  if (waiting > 0)
    return `Next: \`${command} inbox\`, where ${count(waiting, "request waits", "requests wait")} for you; ${all}`
  if (!status.daemon.running) return `Next: \`${command} start\` runs it in the background; ${all}`
  return `Next: \`${command} search WORDS\`, \`${command} tui\`, \`${command} journal --follow\`; ${all}`
}
