import { announcesList, beginsDenying, isAffirming, isDenying, isQualifying } from "./qualifying.ts"

/** A bullet, or a paragraph (with an indent of -1), while the file is read. */
export interface OpenBlock {
  line: number
  lines: string[]
  headings: string[]
  indent: number
  /** The bullet above it, or the paragraph that introduces its list. */
  parent: OpenBlock | undefined
  /** The index of its first line of code, if any. */
  codeAt: number | undefined
}

/** A colon at the end, within emphasis or not. */
const openEnd = /[:：][*_]*$/

/** In characters. A longer bullet becomes a memory of its own; the bullets under it repeat only its last sentence. */
const longestLead = 200

/**
 * The text of a bullet or paragraph with everything that its meaning depends on: headings such as "Never", the sentence
 * that introduces its list, the bullets above it. Empty if the blocks under it already repeat all of it.
 */
export function fullText(block: OpenBlock, isParent: boolean): string {
  const text = isParent ? leadAndRest(block).rest : block.lines.join("\n").trim()
  const leads = leadsOf(block)
  if (text === "" || [text, ...leads].some(isStruckOut)) return ""
  const withLeads = leads.reduceRight((rest, lead) => joined(lead, rest), text)
  return qualifiersOf(block.headings).reduceRight(
    (rest, heading) => (isDenying(heading) && beginsDenying(rest) ? rest : joined(heading, rest)),
    withLeads,
  )
}

/** Whether a paragraph introduces the list after it. `isClose` if no empty line is between the two. */
export function introducesList(block: OpenBlock, isClose: boolean): boolean {
  if (block.codeAt !== undefined) return false
  const last = plain(sentencesOf(block.lines.join("\n")).at(-1) ?? "")
  if (endsOpen(block) || announcesList(last)) return true
  return !/[.!?…。)]$/.test(last) && (isClose || isQualifying(last))
}

/** Whether a paragraph ends with a colon, so that the next block belongs to it. */
export function endsOpen({ lines, codeAt }: OpenBlock): boolean {
  return codeAt === undefined && openEnd.test(lines.at(-1) ?? "")
}

/** The part of a block that the blocks under it repeat (`lead`), and the part that is a memory of its own (`rest`). */
function leadAndRest({ lines, codeAt }: OpenBlock): { lead: string; rest: string } {
  const whole = lines.join("\n").trim()
  const prose = lines.slice(0, codeAt).join("\n").trim()
  const sentences = sentencesOf(prose)
  const last = sentences.at(-1) ?? ""
  if (codeAt !== undefined) return { lead: last, rest: whole }
  if (openEnd.test(last)) return { lead: last, rest: sentences.slice(0, -1).join(" ") }
  return prose.length > longestLead ? { lead: last, rest: whole } : { lead: prose, rest: "" }
}

function leadsOf({ parent }: OpenBlock): string[] {
  if (parent === undefined) return []
  const { lead } = leadAndRest(parent)
  return [...leadsOf(parent), ...(lead === "" ? [] : [lead])]
}

/** The qualifying headings, without those that a deeper affirming one cancels. */
function qualifiersOf(headings: readonly string[]): string[] {
  const marked = headings.map((heading) => ({ heading, qualifies: isQualifying(heading) }))
  const reset = marked.findLastIndex(({ heading, qualifies }) => !qualifies && isAffirming(heading))
  return marked.slice(reset + 1).flatMap(({ heading, qualifies }) => (qualifies ? [heading] : []))
}

function joined(lead: string, text: string): string {
  const begin = plain(lead)
  const gap = text.startsWith("```") || text.startsWith("~~~") ? "\n" : " "
  if (openEnd.test(begin) || /[!?…]$/.test(begin)) return `${begin}${gap}${text}`
  return `${begin.replace(/[.,;]$/, "")}:${gap}${text}`
}

/** A text without emphasis marks around the whole of it. */
function plain(text: string): string {
  const inner = /^(\*{1,3}|_{1,3})(?!\s)([^*_]+)\1(:?)$/.exec(text.trim())
  return inner === null ? text.trim() : `${inner[2] ?? ""}${inner[3] ?? ""}`.trim()
}

function isStruckOut(text: string): boolean {
  return /^~~[^~]+~~[.!]?$/.test(text)
}

function sentencesOf(text: string): string[] {
  return text.trim().split(/(?<=[.!?…。])\s+/)
}
