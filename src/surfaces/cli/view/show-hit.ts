import type { HitJson } from "../../../api/contract/memory-answers.ts"
import { formatDay, parseTime } from "../../../base/clock.ts"
import { escapeControls, shorten } from "../../../base/text/text.ts"
import { commandName } from "../command-name.ts"
import type { CliNeeds } from "../needs.ts"

/** Prints one search result: its date and source, its text, and what contradicts it. */
export function showHit({ output, env }: CliNeeds, hit: HitJson, short = (id: string) => id): void {
  output.data(output.paint("dim", headOf({ ...hit, id: short(hit.id) })))
  for (const line of linesOf(hit, commandName(env.command))) output.data(`  ${line}`)
}

function headOf({ id, type, scope, tags, score, sure, at, source, label }: HitJson): string {
  const day = formatDay(parseTime(at) ?? 0)
  const known = [
    id,
    score.toFixed(2),
    type,
    scope,
    day,
    label ?? sources[source],
    ...tags.map((tag) => `#${tag}`),
  ]
  return [...known, ...(sure ? [] : ["not sure"])].join("  ")
}

function linesOf(hit: HitJson, command: string): string[] {
  const { content, prerequisites = [], steps = [], warnings = [], outdated } = hit
  return [
    ...escapeControls(content).split("\n"),
    ...prerequisites.map((text) => `Needs: ${escapeControls(text)}`),
    ...steps.map((step, index) => `${index + 1}. ${escapeControls(step)}`),
    ...warnings.map((text) => `Careful: ${escapeControls(text)}`),
    ...olderLine(hit, command),
    ...(outdated ? [`May be out of date: ${escapeControls(shorten(outdated.join("; "), 200))}`] : []),
  ]
}

/** The newer memory that contradicts it or may replace it. */
function olderLine({ id, at, older, suspected }: HitJson, command: string): string[] {
  if (older === undefined) return []
  if (!suspected) return [`Older: ${older} says otherwise. Decide with \`${command} resolve\`.`]
  const since = formatDay(parseTime(at) ?? 0)
  const decide = `\`${command} resolve ${older} ${id} --keep ${older}\` (or \`--keep both\`)`
  return [`Older, of ${since}: ${older} may replace it. Decide with ${decide}.`]
}

const sources: Record<HitJson["source"], string> = {
  "user-stated": "you said",
  "user-corrected": "you corrected",
  observed: "observed",
  extracted: "you said in a session",
  inferred: "inferred",
}
