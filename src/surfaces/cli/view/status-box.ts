import type { Answer } from "../../../api/contract/answers.ts"
import { type Clock, localTime, parseTime } from "../../../base/clock.ts"
import { columnsOf, fitColumns } from "../../../base/text/columns.ts"
import { count, shorten, visible } from "../../../base/text/text.ts"
import type { Output } from "../output.ts"
import { budgetBar } from "./budget-bar.ts"
import { inTime, timeAgo } from "./times.ts"

interface BoxNeeds {
  output: Output
  clock: Clock
}

/** One line: what it is called, its text, and something painted that stands before the text. */
interface Line {
  name: string
  text: string
  bar?: { painted: string; columns: number }
}

const narrowest = 40
const widest = 76
const barColumns = 16
/** More limits than this would push everything else out of sight. */
const mostLimits = 3

/**
 * How it stands with tending: status, queue, last cycle, next wake, and each limit in three parts. A box on a terminal
 * that is wide enough, plain lines elsewhere, in line with names that are up to `longestName` long.
 */
export function statusBox(needs: BoxNeeds, status: Answer<"status">, longestName = 7): string {
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
  // A bar and what it means do not fit beside each other there.
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

function linesOf({ output, clock }: BoxNeeds, status: Answer<"status">): Line[] {
  const now = clock.now()
  const lines = [
    { name: "status", text: standing(status, now) },
    { name: "queue", text: queueText(status, now) },
    { name: "last", text: lastText(status, now) },
  ]
  const [seen, ...others] = status.lastCycle?.receipt.found ?? []
  if (seen !== undefined) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : ""
    lines.push({ name: "seen", text: `${visible(seen)}${more}` })
  }
  const { waiting, urgent } = status.inbox
  if (waiting > 0) {
    const pressing = urgent > 0 ? `, ${urgent} urgent` : ""
    const text = `${count(waiting, "request waits", "requests wait")} for you${pressing} (inbox)`
    lines.push({ name: "inbox", text })
  }
  if (status.nextWake !== null) lines.push({ name: "next", text: inTime(status.nextWake, now) })
  return [...lines, ...limitsOf(output, status)]
}

function standing({ status, reason, lastCycle, pausedUntil }: Answer<"status">, now: number): string {
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
  const due = queue.next.state === "claimed" ? "in work" : inTime(queue.next.dueAt, now)
  return `${count(queue.count, "item")}, next ${due}: ${shorten(queue.next.context, 200)}`
}

function lastText({ lastCycle }: Answer<"status">, now: number): string {
  if (lastCycle === null) return "no cycle yet"
  if (lastCycle.endedAt === null) return `begun ${timeAgo(lastCycle.startedAt, now)}`
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
