import { dayOf } from "../../base/clock.ts"
import { tokensIn } from "../../base/text/count-tokens.ts"
import { shorten } from "../../base/text/text.ts"
import { fencedMemories, neutralised, partHeadings } from "../../llm/fence.ts"
import { labelOf } from "../../memory/model/agents/agents.ts"
import type { Memory } from "../../memory/model/memory.ts"
import type { SurfacedMemory } from "../types.ts"

/** Of one memory never more than this is shown; the agent can ask for the rest by its id. */
const longestMemory = 900

/** Where a memory comes from and since when, in few words that stay the same. */
export function originOf(memory: Memory): string {
  const { source, sessionId, createdAt } = memory
  const tool = sessionId?.includes(":") ? sessionId.slice(0, sessionId.indexOf(":")) : undefined
  const from = tool && source !== "user-stated" && source !== "user-corrected" ? ` in ${tool}` : ""
  return `${labelOf(memory) ?? origins[source]}${from} on ${dayOf(createdAt)}`
}

const origins: Record<Memory["source"], string> = {
  "user-corrected": "the user corrected this",
  "user-stated": "the user said",
  observed: "observed",
  extracted: "the user said",
  inferred: "concluded",
}

/** What a memory says with the steps and warnings that belong to it, on one line. */
export function wholeContent({ content, details }: Memory): string {
  const { steps = [], warnings = [], prerequisites = [] } = details
  const parts = [
    content,
    ...(prerequisites.length > 0 ? [`Needs: ${prerequisites.join("; ")}.`] : []),
    ...(steps.length > 0 ? [`Steps: ${steps.map((step, at) => `${at + 1}. ${step}`).join(" ")}`] : []),
    ...(warnings.length > 0 ? [`Careful: ${warnings.join("; ")}.`] : []),
  ]
  return parts.join(" ")
}

/** What is to be said first: what a session must not do, then what it should know of the user, then the rest. */
const typeOrder = ["negative", "correction", "preference", "procedure"]

interface TextOptions {
  maxTokens: number
  /** Lines that stand before everything else. */
  lead?: readonly string[]
  /** Lines of background that come last, as far as they fit. */
  more?: readonly string[]
}

/** Those of some memories that fit, in an order that depends on nothing but them, and their text. */
export function writeText(
  memories: readonly SurfacedMemory[],
  { maxTokens, lead = [], more = [] }: TextOptions,
): { shown: SurfacedMemory[]; text: string } {
  let left =
    maxTokens - tokensIn(fencedMemories([...lead, partHeadings.rules, partHeadings.background].join("\n")))
  const fits = (line: string) => {
    const cost = tokensIn(`${line}\n`)
    if (cost > left) return false
    left -= cost
    return true
  }
  const shown = belowNewer(memories.filter((memory) => fits(lineOf(memory))).toSorted(byUrgency))
  const rules = shown.filter(({ isRule }) => isRule).map(lineOf)
  const background = [...shown.filter(({ isRule }) => !isRule).map(lineOf), ...more.filter(fits)]
  const sections = [
    ...(rules.length > 0 ? [partHeadings.rules, ...rules] : []),
    ...(background.length > 0 ? [partHeadings.background, ...background] : []),
  ]
  return { shown, text: sections.length === 0 ? "" : fencedMemories([...lead, ...sections].join("\n")) }
}

/** What a newer one may replace stands right below it, where both are shown. */
function belowNewer(memories: readonly SurfacedMemory[]): SurfacedMemory[] {
  const ids = new Set(memories.map(({ id }) => id))
  const olds = memories.filter(({ older }) => older !== undefined && ids.has(older))
  const below = ({ id }: SurfacedMemory): SurfacedMemory[] =>
    olds.filter(({ older }) => older === id).flatMap((one) => [one, ...below(one)])
  return memories.filter((one) => !olds.includes(one)).flatMap((one) => [one, ...below(one)])
}

function byUrgency(a: SurfacedMemory, b: SurfacedMemory): number {
  return rankOf(a) - rankOf(b) || b.score - a.score || (a.id < b.id ? -1 : 1)
}

function rankOf({ type, via }: SurfacedMemory): number {
  if (type === "negative" && via.some((step) => step.startsWith("trigger"))) return -1
  const rank = typeOrder.indexOf(type)
  return rank === -1 ? typeOrder.length : rank
}

function lineOf({ id, content, type, origin, outdated, older }: SurfacedMemory): string {
  const kind = type === "procedure" || type === "observation" ? `${type}; ` : ""
  const doubt = outdated ? `; may be out of date: ${shorten(neutralised(outdated.join("; ")), 120)}` : ""
  const replaced = older ? `; older: ${older} may replace it` : ""
  return `- [${id}] ${shorten(neutralised(content), longestMemory)} (${kind}${origin}${replaced}${doubt})`
}
