import type { Answer } from "../../../api/contract/answers.ts"
import type { CycleJson } from "../../../api/contract/tending-answers.ts"
import { parseTime } from "../../../base/clock.ts"
import { count, grouped, shorten, spanText, visible } from "../../../base/text/text.ts"
import { calledAs } from "../called.ts"
import type { CliNeeds } from "../needs.ts"
import { table } from "../output.ts"
import { shortIds } from "../short-ids.ts"
import { timeAgo } from "./times.ts"

type ViewNeeds = Pick<CliNeeds, "output" | "clock" | "env">

/** Cycles, one a line. */
export function cycleRows({ clock }: ViewNeeds, cycles: readonly CycleJson[]): string[][] {
  const short = shortIds(cycles.map(({ id }) => id))
  return cycles.map(({ id, startedAt, status, trigger, receipt, summary }) => [
    short(id),
    timeAgo(startedAt, clock.now()),
    status,
    trigger,
    count(changesOf(receipt), "change"),
    shorten(summary ?? "", 200),
  ])
}

function changesOf({ deeds }: CycleJson["receipt"]): number {
  return deeds.reduce((sum, { changed }) => sum + changed, 0)
}

/** One cycle for people: what it was, what it did and cost, and how to take it back. */
export function cycleText(needs: ViewNeeds, cycle: CycleJson): string {
  const { receipt, startedAt, endedAt } = cycle
  const span =
    endedAt === null ? "" : `, ${spanText((parseTime(endedAt) ?? 0) - (parseTime(startedAt) ?? 0))}`
  const rows = [
    ["cycle", cycle.id],
    ["status", cycle.status],
    ["begun", `${startedAt} (${timeAgo(startedAt, needs.clock.now())}${span})`],
    ["because of", cycle.trigger],
    ...(cycle.verdict === null ? [] : [["you said", cycle.verdict]]),
    ["model", cycle.model ?? "none asked"],
    ["used", usedText(receipt)],
    ...modelRows(receipt),
    ...receipt.windows.map(({ id, percent }) => ["", `${percent} % of the ${id} limit`]),
  ]
  const parts = [table(rows), visible(cycle.summary ?? "It has not ended yet."), ...deedsText(needs, cycle)]
  if (receipt.open.length > 0) parts.push(openText(needs, receipt))
  for (const { id = "", action, description } of receipt.requests)
    parts.push(`It asked for permission: ${visible(action)} (${visible(description)}) ${id}`)
  if (receipt.found.length > 0)
    parts.push(`Seen:\n${receipt.found.map((one) => `  - ${visible(one)}`).join("\n")}`)
  for (const warning of receipt.warnings)
    parts.push(`${needs.output.paint("yellow", "Warning:")} ${visible(warning)}`)
  return parts.join("\n\n")
}

/** Who was asked what for, where that is more than one thing. */
function modelRows({ models }: CycleJson["receipt"]): string[][] {
  if (models.length < 2) return []
  return models.map(({ source, model, calls, input, output }) => [
    "",
    `${source}: ${model}, ${count(calls, "call")}, ${count(input, "token")} in, ${grouped(output)} out`,
  ])
}

const mostOpen = 10

/** What waits for the user, or for a model that may be asked. */
function openText({ env }: ViewNeeds, { open }: CycleJson["receipt"]): string {
  const rows = open
    .slice(0, mostOpen)
    .map(({ kind, memories, note }) => [kind, memories.join(" "), visible(note)])
  const more = open.length > mostOpen ? ` (${open.length - mostOpen} more)` : ""
  const how = `${calledAs(env.command)} memory show ID, memory conflicts, memory edit or memory forget`
  return `Left open, for you or the next cycle${more}:\n${table(rows)}\n${how}`
}

function usedText({ calls, tokens, costUsd, compactions }: CycleJson["receipt"]): string {
  if (calls === 0) return "nothing"
  const cost = costUsd > 0 ? `, $${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}` : ""
  const shortened = compactions > 0 ? `, shortened ${compactions} ×` : ""
  const cached = tokens.cachedInput > 0 ? ` (${grouped(tokens.cachedInput)} cached)` : ""
  const input = `${count(tokens.input, "token")} in${cached}`
  return `${count(calls, "call")}, ${input}, ${grouped(tokens.output)} out${cost}${shortened}`
}

function deedsText({ output, env }: ViewNeeds, { id, receipt, verdict }: CycleJson): string[] {
  if (receipt.deeds.length === 0) return ["It changed nothing."]
  const rows = receipt.deeds.flatMap(({ name, changed, operation, words = [] }) => [
    [name, count(changed, "change"), operation],
    ...words.map((one) => [`  ${visible(one)}`]),
  ])
  if (verdict === "undone") return [table(rows)]
  const undo = `Undo all of it: ${calledAs(env.command)} undo ${id}`
  const one = receipt.deeds.length > 1 ? `\nUndo a part: ${calledAs(env.command)} undo OPERATION` : ""
  return [table(rows), output.paint("dim", undo + one)]
}

/** What was said in a cycle. */
export function transcriptText({ output }: ViewNeeds, { messages }: Answer<"judgeCycle">): string {
  return messages
    .map(
      ({ at, message }) => `${output.paint("dim", `${at}  ${message.role}`)}\n${visible(wordsOf(message))}`,
    )
    .join("\n\n")
}

type Message = Answer<"judgeCycle">["messages"][number]["message"]

function wordsOf(message: Message): string {
  if (message.role === "user") return message.text
  if (message.role === "assistant") {
    const calls = message.calls.map(({ name, input }) => `→ ${name} ${JSON.stringify(input)}`)
    return [...(message.text === "" ? [] : [message.text]), ...calls].join("\n")
  }
  return message.results
    .map(({ name, text, isError }) => `← ${name}${isError ? " failed" : ""} ${text}`)
    .join("\n")
}
