import { isoTime } from "../../base/clock.ts"
import { count, spanText } from "../../base/text/text.ts"
import { answerWith } from "../permission/decision-words.ts"
import type { PermissionRequest } from "../permission/request.ts"
import type { Notice } from "./notice.ts"
import { plainLine, quotedLines } from "./plain-text.ts"

/** A request, and how its reader may decide it. */
export interface AskedFor {
  request: PermissionRequest
  /** The address of the page where they decide. */
  link?: string | undefined
  /** What they answer with, where they can. */
  code?: string | undefined
}

/** A cycle that ended, in its own words. */
export interface EndedCycle {
  id: string
  status: string
  summary: string
}

interface Told {
  asked: readonly AskedFor[]
  cycles: readonly EndedCycle[]
  now: number
}

type Body = Pick<Notice, "title" | "brief" | "text">

/** More than this in one notice nobody reads; the rest is only counted. */
const mostTold = 10

/** Counts and ids, nothing that a model wrote: for whatever others can read. */
export function safeBody({ asked, cycles }: Told): Body {
  const sentence = `${whatWaits(asked, cycles)}.`
  const ids = [...asked.map(({ request }) => request.id), ...cycles.map(({ id }) => id)]
  const listed =
    ids.length > mostTold ? [...ids.slice(0, mostTold), `and ${ids.length - mostTold} more`] : ids
  const how = asked.length === 0 ? "`reverie cycles` shows them." : "`reverie inbox` shows them."
  return {
    title: "Reverie",
    brief: `${sentence} ${how}`,
    text: [sentence, ...listed.map((id) => `- ${id}`), "", `On your machine, ${how}`].join("\n"),
  }
}

/** What, why, the risks first, and how to decide: for what only the person can read. */
export function detailedBody(told: Told): Body {
  const { asked, cycles, now } = told
  const sentence = `${whatWaits(asked, cycles)}.`
  const [first] = asked
  const title =
    first && asked.length === 1
      ? `Reverie asks: ${plainLine(first.request.description, 80)}`
      : `Reverie: ${whatWaits(asked, cycles)}`
  const quoting = "Lines that begin with | are the agent's words, not ours."
  const shown = asked.slice(0, mostTold)
  const more = asked.length > mostTold ? [`And ${asked.length - mostTold} more: \`reverie inbox\`.`] : []
  return {
    title,
    brief: [...shown.map(briefly), ...more, ...cycles.slice(0, mostTold).map(cycleBriefly)].join("\n"),
    text: [
      sentence,
      quoting,
      ...shown.flatMap((one, index) => ["", ...inFull(one, index + 1, now)]),
      ...(more.length > 0 ? ["", ...more] : []),
      ...cycles.slice(0, mostTold).flatMap((cycle) => ["", ...cycleInFull(cycle)]),
      "",
    ].join("\n"),
  }
}

function whatWaits(asked: readonly unknown[], cycles: readonly unknown[]): string {
  const waiting = asked.length === 1 ? "waits" : "wait"
  const requests = asked.length === 0 ? [] : [`${count(asked.length, "request")} ${waiting} for you`]
  const ended = cycles.length === 0 ? [] : [`${count(cycles.length, "cycle")} ended`]
  return [...requests, ...ended].join(", ")
}

function briefly({ request, link, code }: AskedFor): string {
  const what = `${request.urgency === "high" ? "Urgent: " : ""}${plainLine(request.description, 160)} (${request.id})`
  return [
    what,
    ...(link === undefined ? [] : [link]),
    ...(code === undefined ? [] : [answerWith(code)]),
  ].join("\n")
}

function inFull({ request, link, code }: AskedFor, number: number, now: number): string[] {
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
    ...words("To take it back", context.rollback),
    ...(call === null ? [] : words("Runs", `${call.tool} ${JSON.stringify(call.input)}`)),
    ...(diffLines === 0
      ? []
      : [`Changes: a diff of ${count(diffLines, "line")}; look at it before you decide.`]),
    `Expires: ${isoTime(request.expiresAt)} (in ${spanText(request.expiresAt - now)}); what expires is not done.`,
    ...(link === undefined
      ? []
      : [`Decide here: ${link}`, "Nothing happens before you press a button there; the link works once."]),
    ...(code === undefined ? [] : [answerWith(code)]),
    `Or on your machine: reverie inbox show ${request.id}`,
  ]
}

function words(name: string, text: string): string[] {
  const lines = quotedLines(text, { lines: 12, length: 500 })
  return lines.length === 0 ? [] : [`${name}:`, ...lines]
}

function list(name: string, items: readonly string[], none?: string): string[] {
  if (items.length === 0) return none === undefined ? [] : [`${name}: ${none}.`]
  const shown = items.slice(0, mostTold).map((item) => `| - ${plainLine(item, 200)}`)
  const more = items.length > mostTold ? [`| … and ${items.length - mostTold} more`] : []
  return [`${name}:`, ...shown, ...more]
}

function cycleBriefly({ id, status, summary }: EndedCycle): string {
  return `Cycle ${status}: ${plainLine(summary, 160)} (${id})`
}

function cycleInFull({ id, status, summary }: EndedCycle): string[] {
  return [`Cycle ${id} ended: ${status}.`, ...quotedLines(summary, { lines: 20, length: 500 })]
}
