import { formatDay, parseTime } from "../../base/clock.ts"
import { count } from "../../base/text/text.ts"

interface MemoryLine {
  id: string
  content: string
  type: string
  label?: string | undefined
}

interface HitLine extends MemoryLine {
  at: string
  source?: string | undefined
  origin?: string | undefined
  sure?: boolean | undefined
  steps?: readonly string[] | undefined
  prerequisites?: readonly string[] | undefined
  warnings?: readonly string[] | undefined
  older?: string | undefined
  suspected?: true | undefined
  outdated?: readonly string[] | undefined
}

/** One result, with what an agent needs to judge it. */
export function hitText(hit: HitLine): string {
  const { steps = [], prerequisites = [], warnings = [], outdated, older, suspected } = hit
  const origin = hit.origin ?? `${hit.label ?? hit.source ?? ""}, ${formatDay(parseTime(hit.at) ?? 0)}`
  const known = [
    hit.type,
    origin,
    ...(hit.sure === false ? ["not sure"] : []),
    ...(older ? [suspected ? `older: ${older} may replace it` : `${older} says otherwise and is newer`] : []),
    ...(outdated ? [`may be out of date: ${outdated.join("; ")}`] : []),
  ]
  return [
    `- [${hit.id}] ${oneLine(hit.content)} (${known.join("; ")})`,
    ...prerequisites.map((text) => `  Needs: ${oneLine(text)}`),
    ...steps.map((step, index) => `  ${index + 1}. ${oneLine(step)}`),
    ...warnings.map((text) => `  Careful: ${oneLine(text)}`),
  ].join("\n")
}

/** A memory in one line. */
export function memoryText({ id, type, content, label }: MemoryLine): string {
  return `- [${id}] ${oneLine(content)} (${[type, ...(label ? [label] : [])].join("; ")})`
}

/** What a tool changed. */
export function changedText(done: {
  outcome: string
  operation: string
  memories: readonly MemoryLine[]
}): string {
  const { outcome, operation, memories } = done
  if (outcome === "unchanged" || memories.length === 0) return "No change: already done."
  const head = `Done: ${outcome} ${count(memories.length, "memory", "memories")}; the user can undo ${operation}.`
  return [head, ...memories.map(memoryText)].join("\n")
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ")
}
