import type { Answer } from "../../../api/contract/answers.ts"
import type { CycleJson } from "../../../api/contract/tending-answers.ts"
import { parseTime } from "../../../base/clock.ts"
import { count, escapeControls, grouped, shorten, spanText } from "../../../base/text/text.ts"
import { commandName } from "../command-name.ts"
import type { ViewNeeds } from "../needs.ts"
import { table } from "../output.ts"
import { shortIds } from "../short-ids.ts"
import { timeAgo } from "./times.ts"

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

/** One cycle: what it did, what it cost, and how to undo it. */
export function cycleText(needs: ViewNeeds, cycle: CycleJson): string {
  const { receipt, startedAt, endedAt } = cycle
  const span =
    endedAt === null ? "" : `, ${spanText((parseTime(endedAt) ?? 0) - (parseTime(startedAt) ?? 0))}`
  const rows = [
    ["cycle", cycle.id],
    ["status", cycle.status],
    ["started", `${startedAt} (${timeAgo(startedAt, needs.clock.now())}${span})`],
    ["trigger", cycle.trigger],
    ...(cycle.verdict === null ? [] : [["your verdict", cycle.verdict]]),
    ["model", cycle.model ?? "none"],
    ["used", usedText(receipt)],
    ...modelRows(receipt),
    ...receipt.windows.map(({ id, percent }) => ["", `${percent} % of the ${id} limit`]),
  ]
  const parts = [
    table(rows),
    escapeControls(cycle.summary ?? "It is still running."),
    ...changesText(needs, cycle),
  ]
  if (receipt.open.length > 0) parts.push(openText(needs, receipt))
  for (const { id = "", action, description } of receipt.requests)
    parts.push(`It asked for permission: ${escapeControls(action)} (${escapeControls(description)}) ${id}`)
  if (receipt.found.length > 0)
    parts.push(`Observed:\n${receipt.found.map((one) => `  - ${escapeControls(one)}`).join("\n")}`)
  for (const warning of receipt.warnings)
    parts.push(`${needs.output.paint("yellow", "Warning:")} ${escapeControls(warning)}`)
  return parts.join("\n\n")
}

/** One row for each model, if there are several. */
function modelRows({ models }: CycleJson["receipt"]): string[][] {
  if (models.length < 2) return []
  return models.map(({ source, model, calls, input, output }) => [
    "",
    `${source}: ${model}, ${count(calls, "call")}, ${count(input, "token")} in, ${grouped(output)} out`,
  ])
}

/** At most this many open items are listed. */
const mostOpen = 10

/** What is left for the user or a later cycle. */
function openText({ env }: ViewNeeds, { open }: CycleJson["receipt"]): string {
  const rows = open
    .slice(0, mostOpen)
    .map(({ kind, memories, note }) => [kind, memories.join(" "), escapeControls(note)])
  const more = open.length > mostOpen ? ` (${open.length - mostOpen} more)` : ""
  const how = `${commandName(env.command)} memory show ID, memory conflicts, memory edit or memory forget`
  return `Left open, for you or the next cycle${more}:\n${table(rows)}\n${how}`
}

function usedText({ calls, tokens, costUsd, compactions }: CycleJson["receipt"]): string {
  if (calls === 0) return "nothing"
  const cost = costUsd > 0 ? `, $${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}` : ""
  const shortened = compactions > 0 ? `, compacted ${compactions} ×` : ""
  const cached = tokens.cachedInput > 0 ? ` (${grouped(tokens.cachedInput)} cached)` : ""
  const input = `${count(tokens.input, "token")} in${cached}`
  return `${count(calls, "call")}, ${input}, ${grouped(tokens.output)} out${cost}${shortened}`
}

function changesText({ output, env }: ViewNeeds, { id, receipt, verdict }: CycleJson): string[] {
  if (receipt.deeds.length === 0) return ["It changed nothing."]
  const rows = receipt.deeds.flatMap(({ name, changed, operation, words = [] }) => [
    [name, count(changed, "change"), operation],
    ...words.map((one) => [`  ${escapeControls(one)}`]),
  ])
  if (verdict === "undone") return [table(rows)]
  const undo = `Undo all of it: ${commandName(env.command)} undo ${id}`
  const one = receipt.deeds.length > 1 ? `\nUndo a part: ${commandName(env.command)} undo OPERATION` : ""
  return [table(rows), output.paint("dim", undo + one)]
}

/** The messages of a cycle. */
export function transcriptText({ output }: ViewNeeds, { messages }: Answer<"judgeCycle">): string {
  return messages
    .map(
      ({ at, message }) =>
        `${output.paint("dim", `${at}  ${message.role}`)}\n${escapeControls(wordsOf(message))}`,
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
