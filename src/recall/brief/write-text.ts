import { formatDay } from "../../base/clock.ts"
import { estimateTokens } from "../../base/text/count-tokens.ts"
import { shorten } from "../../base/text/text.ts"
import { fencedMemories, neutralised, partHeadings } from "../../llm/fence.ts"
import { labelOf } from "../../memory/model/agents/agents.ts"
import type { Memory } from "../../memory/model/memory.ts"
import { isTriggered } from "../session/session-state.ts"
import type { SurfacedMemory } from "../types.ts"

/** In characters. The agent can ask for the rest of a longer memory by its id. */
const longestMemory = 900

/** Where a memory comes from and since when, such as "the user said on 31 Jan 2026". */
export function originOf(memory: Memory): string {
  const { source, sessionId, createdAt } = memory
  const tool = sessionId?.includes(":") ? sessionId.slice(0, sessionId.indexOf(":")) : undefined
  const from = tool && source !== "user-stated" && source !== "user-corrected" ? ` in ${tool}` : ""
  return `${labelOf(memory) ?? origins[source]}${from} on ${formatDay(createdAt)}`
}

const origins: Record<Memory["source"], string> = {
  "user-corrected": "the user corrected this",
  "user-stated": "the user said",
  observed: "observed",
  extracted: "the user said",
  inferred: "concluded",
}

/** A memory's text with its prerequisites, steps and warnings, on one line. */
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

/** The types that come first; all others follow. */
const typeOrder = ["negative", "correction", "preference", "procedure"]

interface TextOptions {
  maxTokens: number
  /** Lines before everything else. */
  lead?: readonly string[]
  /** Lines after the background memories, as far as they fit. */
  more?: readonly string[]
}

/** Formats as many memories as fit, in a stable order. */
export function writeText(
  memories: readonly SurfacedMemory[],
  { maxTokens, lead = [], more = [] }: TextOptions,
): { shown: SurfacedMemory[]; text: string } {
  let left =
    maxTokens -
    estimateTokens(fencedMemories([...lead, partHeadings.rules, partHeadings.background].join("\n")))
  const fits = (line: string) => {
    const cost = estimateTokens(`${line}\n`)
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

/** Moves each memory right below the newer one that may replace it, if both are shown. */
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
  if (type === "negative" && isTriggered(via)) return -1
  const rank = typeOrder.indexOf(type)
  return rank === -1 ? typeOrder.length : rank
}

function lineOf({ id, content, type, origin, outdated, older }: SurfacedMemory): string {
  const kind = type === "procedure" || type === "observation" ? `${type}; ` : ""
  const doubt = outdated ? `; may be out of date: ${shorten(neutralised(outdated.join("; ")), 120)}` : ""
  const replaced = older ? `; older: ${older} may replace it` : ""
  return `- [${id}] ${shorten(neutralised(content), longestMemory)} (${kind}${origin}${replaced}${doubt})`
}
