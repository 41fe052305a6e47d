import type { Answer } from "../../../api/contract/answers.ts"
import { localTime, parseTime } from "../../../base/clock.ts"
import { columnsOf, fitColumns } from "../../../base/text/columns.ts"
import { count, escapeControls, shorten } from "../../../base/text/text.ts"
import { commandName } from "../command-name.ts"
import type { CliNeeds } from "../needs.ts"
import type { Output } from "../output.ts"
import { budgetBar } from "./budget-bar.ts"
import { inTime, timeAgo } from "./times.ts"

/** One line: its name, an optional bar, and its text. */
interface Line {
  name: string
  text: string
  bar?: { painted: string; columns: number }
}

const narrowest = 40
const widest = 76
const barColumns = 16
/** At most this many limits are shown. */
const mostLimits = 3

/**
 * The state of tending: status, queue, last cycle, next wake, and the limits. A box on a wide terminal, plain lines
 * elsewhere; `longestName` aligns them with the lines above.
 */
export function statusBox(
  needs: Pick<CliNeeds, "output" | "clock" | "env">,
  status: Answer<"status">,
  longestName = 7,
): string {
  const { width } = needs.output
  const isBoxed = Number.isFinite(width) && width >= narrowest
  const lines = linesOf(needs, status)
  const label = Math.max(isBoxed ? 7 : longestName, ...lines.map(({ name }) => name.length)) + 2
  if (!isBoxed) return lines.map((line) => plainLine(line, label, width)).join("\n")
  const room = Math.min(width, widest) - 4
  const rows = lines.map((line) => boxedLine(line, label, room))
  const title = " Tending "
  return [
    `╭─${needs.output.paint("bold", title)}${"─".repeat(room + 1 - title.length)}╮`,
    ...rows.map((row) => `│ ${row} │`),
    `╰${"─".repeat(room + 2)}╯`,
  ].join("\n")
}

function plainLine({ name, text, bar }: Line, label: number, width: number): string {
  const room = Number.isFinite(width) ? Math.max(10, width - label - 2) : Number.POSITIVE_INFINITY
  // A narrow terminal has no room for a bar.
  const isNarrow = Number.isFinite(width)
  const drawn = bar === undefined || isNarrow ? "" : `${bar.painted} `
  return `  ${name.padEnd(label)}${drawn}${fitColumns(text, room)}`
}

function boxedLine({ name, text, bar }: Line, label: number, room: number): string {
  const drawn = bar === undefined ? "" : `${bar.painted} `
  const left = room - label - (bar === undefined ? 0 : bar.columns + 1)
  const fitted = fitColumns(text, left)
  return name.padEnd(label) + drawn + fitted + " ".repeat(Math.max(0, left - columnsOf(fitted)))
}

function linesOf(
  { output, clock, env }: Pick<CliNeeds, "output" | "clock" | "env">,
  status: Answer<"status">,
): Line[] {
  const now = clock.now()
  const lines = [
    { name: "status", text: tendingText(status, now) },
    { name: "queue", text: queueText(status, now) },
    { name: "last", text: lastText(status, now) },
  ]
  const [first, ...others] = status.lastCycle?.receipt.found ?? []
  if (first !== undefined) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : ""
    lines.push({ name: "found", text: `${escapeControls(first)}${more}` })
  }
  const { waiting, urgent } = status.inbox
  if (waiting > 0) {
    const pressing = urgent > 0 ? `, ${urgent} urgent` : ""
    const text = `${count(waiting, "request waits", "requests wait")} for you${pressing}; see \`${commandName(env.command)} inbox\``
    lines.push({ name: "inbox", text })
  }
  if (status.nextWake !== null) lines.push({ name: "next", text: inTime(status.nextWake, now) })
  return [...lines, ...limitsOf(output, status)]
}

function tendingText({ status, reason, lastCycle, pausedUntil }: Answer<"status">, now: number): string {
  if (status === "running") {
    const phase = lastCycle?.status === "running" ? ` (${lastCycle.progress.phase})` : ""
    return `● running${phase}`
  }
  if (pausedUntil !== null) {
    const at = parseTime(pausedUntil)
    return `○ paused by you${at === undefined ? "" : ` until ${localTime(at, now)}`}`
  }
  return `○ ${status}: ${reason}`
}

function queueText({ queue }: Answer<"status">, now: number): string {
  if (queue.next === null) return "empty"
  const due = queue.next.state === "claimed" ? "in progress" : inTime(queue.next.dueAt, now)
  return `${count(queue.count, "item")}, next ${due}: ${shorten(queue.next.context, 200)}`
}

function lastText({ lastCycle }: Answer<"status">, now: number): string {
  if (lastCycle === null) return "no cycle yet"
  if (lastCycle.endedAt === null) return `started ${timeAgo(lastCycle.startedAt, now)}`
  const ended = lastCycle.status === "complete" ? "" : ` (${lastCycle.status})`
  return `${timeAgo(lastCycle.endedAt, now)}${ended}: ${shorten(lastCycle.summary ?? "", 200)}`
}

function limitsOf(output: Output, { budget }: Answer<"status">): Line[] {
  const tightest = [...(budget?.windows ?? [])].sort((a, b) => a.remaining - b.remaining).slice(0, mostLimits)
  return tightest.map(({ id, user, ambient, remaining }) => {
    const painted = budgetBar(output, { user, ambient, capacity: 100 }, barColumns)
    const text = `you ${Math.round(user)} %, Reverie ${Math.round(ambient)} %, left ${Math.round(remaining)} %`
    return { name: id, text, bar: { painted, columns: barColumns } }
  })
}
