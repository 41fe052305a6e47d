import { tokenize } from "../../../storage/search.ts"
import { type Memory, type MemoryDetails, normalizeDetails } from "../../model/memory.ts"

/** The details of a memory, with those of another one that says the same. */
export function mergedDetails(kept: MemoryDetails, dropped: MemoryDetails): MemoryDetails {
  const both = (pick: (details: MemoryDetails) => string[] | undefined) => [
    ...new Set([...(pick(kept) ?? []), ...(pick(dropped) ?? [])]),
  ]
  return normalizeDetails({
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

/** Steps have an order, so two lists are not mixed: the other is used only if it contains all of this one and more. */
function fullerSteps(kept: string[] | undefined, dropped: string[] | undefined): string[] | undefined {
  if (kept === undefined || dropped === undefined) return kept ?? dropped
  return dropped.length > kept.length && kept.every((step) => dropped.includes(step)) ? dropped : kept
}

/**
 * The text after a duplicate was dropped: the dropped text if it says everything and more; both texts if it has a
 * number, name, path or reason of its own; otherwise the kept text. A result that is too long is not used.
 */
export function mergedText(
  { content: kept }: Memory,
  { content: dropped }: Memory,
  longest = Number.POSITIVE_INFINITY,
): string {
  const known = new Set(tokenize(kept))
  const more = tokenize(dropped).filter((word) => !known.has(word))
  if (more.length === 0 || !hasOwnDetail(kept, dropped)) return kept
  const droppedWords = new Set(tokenize(dropped))
  if ([...known].every((word) => droppedWords.has(word))) return dropped
  const both = `${kept.trimEnd().replace(/(?<![.!?:;])$/u, ".")} ${dropped}`
  return Array.from(both).length > longest ? kept : both
}

/** A number, a path, a quotation, code, or a name with signs or capitals inside. */
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
