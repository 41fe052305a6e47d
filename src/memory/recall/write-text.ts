import { isoTime } from "../../base/clock.ts"
import { shorten } from "../../base/text.ts"
import { labelOf } from "../agents.ts"
import type { Memory } from "../memory.ts"
import { fenced, neutralised } from "./fence.ts"
import type { SurfacedMemory } from "./recall.ts"
import { tokensIn } from "./tokens.ts"

/** Of one memory never more than this is shown; the agent can ask for the rest by its id. */
const longestMemory = 900

/** Where a memory comes from and since when, in few words that stay the same. */
export function originOf(memory: Memory): string {
  const { source, sessionId, createdAt } = memory
  const tool = sessionId?.includes(":") ? sessionId.slice(0, sessionId.indexOf(":")) : undefined
  const day = isoTime(createdAt).slice(0, 10)
  const from = tool && source !== "user-stated" && source !== "user-corrected" ? ` in ${tool}` : ""
  return `${labelOf(memory) ?? origins[source]}${from}, ${day}`
}

const origins: Record<Memory["source"], string> = {
  "user-corrected": "you corrected",
  "user-stated": "you said",
  observed: "observed",
  extracted: "noted",
  inferred: "guessed",
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

/** Those of some memories that fit, in an order that depends on nothing but them, and their text. */
export function writeText(
  memories: readonly SurfacedMemory[],
  maxTokens: number,
  more: readonly string[] = [],
): { shown: SurfacedMemory[]; text: string } {
  const chosen: SurfacedMemory[] = []
  let left = maxTokens - tokensIn(fenced(""))
  for (const memory of memories) {
    const cost = tokensIn(`${lineOf(memory)}\n`)
    if (cost > left) continue
    left -= cost
    chosen.push(memory)
  }
  const shown = chosen.toSorted(byUrgency).map(plain)
  const extra = more.filter((line) => {
    const cost = tokensIn(`${line}\n`)
    if (cost > left) return false
    left -= cost
    return true
  })
  const lines = [...shown.map(lineOf), ...extra]
  return { shown, text: lines.length === 0 ? "" : fenced(lines.join("\n")) }
}

/** Without what only recall itself needs to know. */
function plain({ id, content, type, score, via, origin }: SurfacedMemory): SurfacedMemory {
  return { id, content, type, score, via, origin }
}

function byUrgency(a: SurfacedMemory, b: SurfacedMemory): number {
  return rankOf(a) - rankOf(b) || b.score - a.score || (a.id < b.id ? -1 : 1)
}

function rankOf({ type, via }: SurfacedMemory): number {
  if (type === "negative" && via.some((step) => step.startsWith("trigger"))) return -1
  const place = typeOrder.indexOf(type)
  return place === -1 ? typeOrder.length : place
}

function lineOf({ id, content, type, origin }: SurfacedMemory): string {
  const kind = type === "fact" ? "" : `${type}; `
  return `- [${id}] ${shorten(neutralised(content), longestMemory)} (${kind}${origin})`
}
