import type { HitJson } from "../../../api/contract/memory-answers.ts"
import { dayOf, parseTime } from "../../../base/clock.ts"
import { shorten, visible } from "../../../base/text/text.ts"
import { calledAs } from "../called.ts"
import type { CliNeeds } from "../needs.ts"

/** Prints one memory that was found: since when and from where, what it says, and what speaks against it. */
export function showHit({ output, env }: CliNeeds, hit: HitJson, short = (id: string) => id): void {
  output.data(output.paint("dim", headOf({ ...hit, id: short(hit.id) })))
  for (const line of linesOf(hit, calledAs(env.command))) output.data(`  ${line}`)
}

function headOf({ id, type, scope, tags, score, sure, at, source, label }: HitJson): string {
  const day = dayOf(parseTime(at) ?? 0)
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
    ...visible(content).split("\n"),
    ...prerequisites.map((text) => `Needs: ${visible(text)}`),
    ...steps.map((step, index) => `${index + 1}. ${visible(step)}`),
    ...warnings.map((text) => `Careful: ${visible(text)}`),
    ...olderLine(hit, command),
    ...(outdated ? [`May be out of date: ${visible(shorten(outdated.join("; "), 200))}`] : []),
  ]
}

/** What is newer than it and says otherwise, or may have replaced it. */
function olderLine({ id, at, older, suspected }: HitJson, command: string): string[] {
  if (older === undefined) return []
  if (!suspected) return [`Older: ${older} says otherwise. Decide with \`${command} resolve\`.`]
  const since = dayOf(parseTime(at) ?? 0)
  const decide = `\`${command} resolve ${older} ${id} --keep ${older}\` (or \`--keep both\`)`
  return [`Older, of ${since}: ${older} may replace it. Decide with ${decide}.`]
}

const sources: Record<HitJson["source"], string> = {
  "user-stated": "you said",
  "user-corrected": "you corrected",
  observed: "observed",
  extracted: "you said in a session",
  inferred: "concluded",
}
