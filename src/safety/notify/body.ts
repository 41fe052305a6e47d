import { isoTime } from "../../base/clock.ts"
import { count, spanText } from "../../base/text/text.ts"
import { decisionHint } from "../permission/decision-text.ts"
import type { PermissionRequest } from "../permission/request.ts"
import type { Notice } from "./notice.ts"
import { plainLine, quotedLines } from "./plain-text.ts"

/** A request, and how its reader can decide it. */
export interface RequestToDecide {
  request: PermissionRequest
  /** The address of the decision page. */
  link?: string | undefined
  /** The code to answer with. */
  code?: string | undefined
}

/** An ended cycle with its own summary. */
export interface EndedCycle {
  id: string
  status: string
  summary: string
}

interface NoticeContent {
  requests: readonly RequestToDecide[]
  cycles: readonly EndedCycle[]
  now: number
}

type Body = Pick<Notice, "title" | "brief" | "text">

/** The most requests, cycles or lines listed in one notice; the rest is only counted. */
const mostListed = 10

/** Counts and ids without any text by a model, for channels that others can read. */
export function safeBody({ requests, cycles }: NoticeContent): Body {
  const sentence = `${whatWaits(requests, cycles)}.`
  const ids = [...requests.map(({ request }) => request.id), ...cycles.map(({ id }) => id)]
  const listed =
    ids.length > mostListed ? [...ids.slice(0, mostListed), `and ${ids.length - mostListed} more`] : ids
  const how = requests.length === 0 ? "`reverie cycles` shows them." : "`reverie inbox` shows them."
  return {
    title: "Reverie",
    brief: `${sentence} ${how}`,
    text: [sentence, ...listed.map((id) => `- ${id}`), "", `On your machine, ${how}`].join("\n"),
  }
}

/** All details, risks first, and how to decide, for channels that only the recipient can read. */
export function detailedBody({ requests, cycles, now }: NoticeContent): Body {
  const sentence = `${whatWaits(requests, cycles)}.`
  const [first] = requests
  const title =
    first && requests.length === 1
      ? `Reverie asks: ${plainLine(first.request.description, 80)}`
      : `Reverie: ${whatWaits(requests, cycles)}`
  const quoting = "Lines that begin with | are the agent's words, not ours."
  const shown = requests.slice(0, mostListed)
  const more =
    requests.length > mostListed ? [`And ${requests.length - mostListed} more: \`reverie inbox\`.`] : []
  return {
    title,
    brief: [...shown.map(briefly), ...more, ...cycles.slice(0, mostListed).map(cycleBriefly)].join("\n"),
    text: [
      sentence,
      quoting,
      ...shown.flatMap((one, index) => ["", ...inFull(one, index + 1, now)]),
      ...(more.length > 0 ? ["", ...more] : []),
      ...cycles.slice(0, mostListed).flatMap((cycle) => ["", ...cycleInFull(cycle)]),
      "",
    ].join("\n"),
  }
}

function whatWaits(requests: readonly unknown[], cycles: readonly unknown[]): string {
  const waiting = requests.length === 1 ? "waits" : "wait"
  const open = requests.length === 0 ? [] : [`${count(requests.length, "request")} ${waiting} for you`]
  const ended = cycles.length === 0 ? [] : [`${count(cycles.length, "cycle")} ended`]
  return [...open, ...ended].join(", ")
}

function briefly({ request, link, code }: RequestToDecide): string {
  const what = `${request.urgency === "high" ? "Urgent: " : ""}${plainLine(request.description, 160)} (${request.id})`
  return [
    what,
    ...(link === undefined ? [] : [link]),
    ...(code === undefined ? [] : [decisionHint(code)]),
  ].join("\n")
}

function inFull({ request, link, code }: RequestToDecide, number: number, now: number): string[] {
  const { context, call } = request
  const diffLines = context.diff === "" ? 0 : context.diff.split("\n").length
  return [
    `${number}. ${plainLine(request.action, 80)} (${request.id}, urgency ${request.urgency})`,
    ...list("Risks, as the agent sees them", context.risks, "none named"),
    ...words("What", request.description),
    ...words("Why", request.rationale),
    ...words("Project", request.project ?? ""),
    ...words("Summary", context.summary),
    ...list("Steps", context.planned_steps),
    ...list("Files", context.files),
    ...list("Commands", context.commands),
    ...words("Expected", context.expected_outcome),
    ...words("To undo it", context.rollback),
    ...(call === null ? [] : words("Runs", `${call.tool} ${JSON.stringify(call.input)}`)),
    ...(diffLines === 0
      ? []
      : [`Changes: a diff of ${count(diffLines, "line")}; read it before you decide.`]),
    `Expires: ${isoTime(request.expiresAt)} (in ${spanText(request.expiresAt - now)}); an expired request is not done.`,
    ...(link === undefined
      ? []
      : [`Decide here: ${link}`, "Nothing happens before you press a button there; the link works once."]),
    ...(code === undefined ? [] : [decisionHint(code)]),
    `Or on your machine: reverie inbox show ${request.id}`,
  ]
}

function words(name: string, text: string): string[] {
  const lines = quotedLines(text, { lines: 12, length: 500 })
  return lines.length === 0 ? [] : [`${name}:`, ...lines]
}

function list(name: string, items: readonly string[], none?: string): string[] {
  if (items.length === 0) return none === undefined ? [] : [`${name}: ${none}.`]
  const shown = items.slice(0, mostListed).map((item) => `| - ${plainLine(item, 200)}`)
  const more = items.length > mostListed ? [`| … and ${items.length - mostListed} more`] : []
  return [`${name}:`, ...shown, ...more]
}

function cycleBriefly({ id, status, summary }: EndedCycle): string {
  return `Cycle ${status}: ${plainLine(summary, 160)} (${id})`
}

function cycleInFull({ id, status, summary }: EndedCycle): string[] {
  return [`Cycle ${id} ended: ${status}.`, ...quotedLines(summary, { lines: 20, length: 500 })]
}
