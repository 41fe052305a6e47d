import type { RequestJson } from "../../../api/contract/tending-answers.ts"
import { escapeInvisible } from "../../../base/text/invisible.ts"
import { escapeControls, shorten } from "../../../base/text/text.ts"
import { commandName } from "../command-name.ts"
import type { ViewNeeds } from "../needs.ts"
import { type Output, table } from "../output.ts"
import { inTime, timeAgo } from "./times.ts"

/** A request in one row of the inbox. */
export function requestRow({ output, clock }: ViewNeeds, request: RequestJson, id: string): string[] {
  const { urgency, action, description, state, expiresAt } = request
  const when = state === "pending" ? `expires ${inTime(expiresAt, clock.now())}` : state
  const pressing = urgency === "high" ? output.paint("red", urgency) : urgency
  return [id, pressing, when, oneLine(action), escapeControls(shorten(description, 200))]
}

/** A whole request: its fields, the risks, what would happen and why, the diff last. */
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
    ...(decision?.text ? [["reason", oneLine(decision.text)]] : []),
    ...(request.outcome === null ? [] : [["result", oneLine(request.outcome)]]),
  ]
  const parts = [
    table(rows),
    ...listPart(context.risks, output.paint("yellow", "Risks")),
    ...textPart("What", request.description),
    ...textPart("Why", request.rationale),
    ...textPart("Summary", context.summary),
    ...listPart(context.planned_steps, "Steps"),
    ...listPart(context.files, "Files"),
    ...listPart(context.commands, "Commands"),
    ...textPart("How to undo it", context.rollback),
    ...textPart("Expected", context.expected_outcome),
    ...textPart("Tests", context.tests),
    ...(call === null
      ? []
      : [`Runs exactly this, once:\n  ${escapeControls(call.tool)} ${inputText(call.input)}`]),
    ...(context.diff === "" ? [] : [diffText(output, context.diff)]),
  ]
  if (request.state === "pending") parts.push(output.paint("dim", decisionCommands(needs, request)))
  return parts.join("\n\n")
}

function inputText(input: object): string {
  return escapeControls(JSON.stringify(input, null, 2)).replaceAll("\n", "\n  ")
}

function textPart(title: string, text: string): string[] {
  return text === "" ? [] : [`${title}: ${lines(text)}`]
}

function listPart(all: readonly string[], title: string): string[] {
  return all.length === 0 ? [] : [`${title}:\n${all.map((one) => `  - ${lines(one)}`).join("\n")}`]
}

/** A text from outside: control characters are made visible, and its lines are indented so that none looks like ours. */
function lines(text: string): string {
  return text.split("\n").map(escapeControls).join("\n    ")
}

function oneLine(text: string): string {
  return escapeControls(text.replaceAll(/\s+/g, " "))
}

/** A diff with its colours. */
function diffText(output: Output, diff: string): string {
  const painted = diff.split("\n").map((line) => {
    const shown = `  ${escapeControls(escapeInvisible(line))}`
    if (line.startsWith("+") && !line.startsWith("+++")) return output.paint("green", shown)
    if (line.startsWith("-") && !line.startsWith("---")) return output.paint("red", shown)
    return line.startsWith("@@") ? output.paint("cyan", shown) : shown
  })
  return painted.join("\n")
}

function decisionCommands({ env }: ViewNeeds, { id, call }: RequestJson): string {
  const reverie = commandName(env.command)
  return [
    `${reverie} inbox approve ${id}`,
    ...(call === null ? [] : [`${reverie} inbox edit ${id}      (approve with other arguments)`]),
    `${reverie} inbox respond ${id} TEXT`,
    `${reverie} inbox deny ${id} [REASON]`,
  ].join("\n")
}
