import type { RequestJson } from "../../../api/contract/tending-answers.ts"
import { shorten, visible } from "../../../base/text/text.ts"
import { spellUnseen } from "../../../base/text/unseen.ts"
import { calledAs } from "../called.ts"
import type { CliNeeds } from "../needs.ts"
import { type Output, table } from "../output.ts"
import { inTime, timeAgo } from "./times.ts"

type ViewNeeds = Pick<CliNeeds, "output" | "clock" | "env">

/** A request in one row of the inbox. */
export function requestRow({ output, clock }: ViewNeeds, request: RequestJson, id: string): string[] {
  const { urgency, action, description, state, expiresAt } = request
  const when = state === "pending" ? `expires ${inTime(expiresAt, clock.now())}` : state
  const pressing = urgency === "high" ? output.paint("red", urgency) : urgency
  return [id, pressing, when, oneLine(action), visible(shorten(description, 200))]
}

/** A request for people: what and why, the risks first, then all that would happen, the diff last. */
export function requestText(needs: ViewNeeds, request: RequestJson): string {
  const { output, clock } = needs
  const { context, call, decision } = request
  const rows = [
    ["request", request.id],
    ["state", request.state],
    ["action", oneLine(request.action)],
    ["asked by", `${request.askedBy}, ${timeAgo(request.createdAt, clock.now())}`],
    ...(request.project === null ? [] : [["project", oneLine(request.projectName ?? request.project)]]),
    ["urgency", request.urgency],
    ...(request.state === "pending" ? [["expires", inTime(request.expiresAt, clock.now())]] : []),
    ...(decision === null ? [] : [["decided", `by ${decision.who} from ${decision.from}, ${decision.at}`]]),
    ...(decision?.text ? [["said", oneLine(decision.text)]] : []),
    ...(request.outcome === null ? [] : [["result", oneLine(request.outcome)]]),
  ]
  const parts = [
    table(rows),
    ...listed(context.risks, output.paint("yellow", "Risks")),
    ...said("What", request.description),
    ...said("Why", request.rationale),
    ...said("Summary", context.summary),
    ...listed(context.planned_steps, "Steps"),
    ...listed(context.files, "Files"),
    ...listed(context.commands, "Commands"),
    ...said("How to take it back", context.rollback),
    ...said("Expected", context.expected_outcome),
    ...said("Tests", context.tests),
    ...(call === null ? [] : [`Runs exactly this, once:\n  ${visible(call.tool)} ${inputText(call.input)}`]),
    ...(context.diff === "" ? [] : [diffText(output, context.diff)]),
  ]
  if (request.state === "pending") parts.push(output.paint("dim", waysOut(needs, request)))
  return parts.join("\n\n")
}

function inputText(input: object): string {
  return visible(JSON.stringify(input, null, 2)).replaceAll("\n", "\n  ")
}

function said(title: string, text: string): string[] {
  return text === "" ? [] : [`${title}: ${lines(text)}`]
}

function listed(all: readonly string[], title: string): string[] {
  return all.length === 0 ? [] : [`${title}:\n${all.map((one) => `  - ${lines(one)}`).join("\n")}`]
}

/** Texts of others line by line: what could steer a terminal is shown, not obeyed, and no line stands where ours do. */
function lines(text: string): string {
  return text.split("\n").map(visible).join("\n    ")
}

function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, " "))
}

/** A diff with its colours. */
function diffText(output: Output, diff: string): string {
  const painted = diff.split("\n").map((line) => {
    const shown = `  ${visible(spellUnseen(line))}`
    if (line.startsWith("+") && !line.startsWith("+++")) return output.paint("green", shown)
    if (line.startsWith("-") && !line.startsWith("---")) return output.paint("red", shown)
    return line.startsWith("@@") ? output.paint("cyan", shown) : shown
  })
  return painted.join("\n")
}

function waysOut({ env }: ViewNeeds, { id, call }: RequestJson): string {
  const reverie = calledAs(env.command)
  return [
    `${reverie} inbox approve ${id}`,
    ...(call === null ? [] : [`${reverie} inbox edit ${id}      (approve with other arguments)`]),
    `${reverie} inbox respond ${id} TEXT`,
    `${reverie} inbox deny ${id} [REASON]`,
  ].join("\n")
}
