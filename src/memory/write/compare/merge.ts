import { wordsIn } from "../../../storage/search.ts"
import { type Memory, type MemoryDetails, tidyDetails } from "../../model/memory.ts"

/** What is known about a memory beyond its text, with all that another one that says the same knew besides. */
export function mergedDetails(kept: MemoryDetails, dropped: MemoryDetails): MemoryDetails {
  const both = (pick: (details: MemoryDetails) => string[] | undefined) => [
    ...new Set([...(pick(kept) ?? []), ...(pick(dropped) ?? [])]),
  ]
  return tidyDetails({
    ...kept,
    files: both(({ files }) => files),
    prerequisites: both(({ prerequisites }) => prerequisites),
    warnings: both(({ warnings }) => warnings),
    steps: fullerSteps(kept.steps, dropped.steps),
    context: kept.context ?? dropped.context,
    reason: kept.reason ?? dropped.reason,
    season: kept.season ?? dropped.season,
    recencyWeight: kept.recencyWeight ?? dropped.recencyWeight,
  })
}

/** Steps have an order, so two lists are not mixed: the other is taken only where it holds all of this one and more. */
function fullerSteps(kept: string[] | undefined, dropped: string[] | undefined): string[] | undefined {
  if (kept === undefined || dropped === undefined) return kept ?? dropped
  return dropped.length > kept.length && kept.every((step) => dropped.includes(step)) ? dropped : kept
}

/**
 * The text of two memories that somebody took for the same. Where the dropped one says all of the kept one and more, it
 * is the text; where it has a number, a name, a path or a reason of its own, it follows the kept one. Else nothing is
 * added: another wording alone is no news. What would be too long stays as it is.
 */
export function mergedText(
  { content: kept }: Memory,
  { content: dropped }: Memory,
  longest = Number.POSITIVE_INFINITY,
): string {
  const known = new Set(wordsIn(kept))
  const more = wordsIn(dropped).filter((word) => !known.has(word))
  if (more.length === 0 || !hasOwnDetail(kept, dropped)) return kept
  const said = new Set(wordsIn(dropped))
  if ([...known].every((word) => said.has(word))) return dropped
  const both = `${kept.trimEnd().replace(/(?<![.!?:;])$/u, ".")} ${dropped}`
  return Array.from(both).length > longest ? kept : both
}

/** A number, a path, something in quotes or code, or a name with signs or capitals inside it. */
const detail =
  /`[^`]+`|"[^"]+"|\S*\d\S*|\S*[/\\_@]\S*|\b\w+\.\w+\b|\b\p{Ll}+\p{Lu}\w*|(?<=\S\s+)\p{Lu}[\p{L}]+/gu
const reason = /\b(?:because|since|due to|so that|in order to|otherwise|unless|except)\b/i

function hasOwnDetail(kept: string, dropped: string): boolean {
  if (reason.test(dropped) && !reason.test(kept)) return true
  const known = kept.toLowerCase()
  return [...dropped.matchAll(detail)].some(([found]) => !known.includes(bare(found)))
}

function bare(found: string): string {
  return found.toLowerCase().replaceAll(/^[("'`]+|[.,;:!?)"'`]+$/g, "")
}
