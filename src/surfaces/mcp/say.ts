import { dayOf, parseTime } from "../../base/clock.ts"
import { count } from "../../base/text/text.ts"

/** Answers as agents read them: short, each thing once, whole ids so that they can be named. */

interface Sayable {
  id: string
  content: string
  type: string
  label?: string | undefined
}

interface SayableHit extends Sayable {
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

/** One thing that was found, with what one has to know to judge it. */
export function hitText(hit: SayableHit): string {
  const { steps = [], prerequisites = [], warnings = [], outdated, older, suspected } = hit
  const origin = hit.origin ?? `${hit.label ?? hit.source ?? ""}, ${dayOf(parseTime(hit.at) ?? 0)}`
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

/** A memory on a line. */
export function memoryText({ id, type, content, label }: Sayable): string {
  return `- [${id}] ${oneLine(content)} (${[type, ...(label ? [label] : [])].join("; ")})`
}

/** What an act did. */
export function changedText(done: {
  outcome: string
  operation: string
  memories: readonly Sayable[]
}): string {
  const { outcome, operation, memories } = done
  if (outcome === "unchanged" || memories.length === 0) return "No change: already done."
  const head = `Done: ${outcome} ${count(memories.length, "memory", "memories")}; the user can undo ${operation}.`
  return [head, ...memories.map(memoryText)].join("\n")
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ")
}
