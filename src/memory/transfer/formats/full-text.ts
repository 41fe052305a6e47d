import type { Open } from "./open-block.ts"
import { beginsDenying, isAffirming, isDenying, isQualifying, pointsAhead } from "./qualifying.ts"

/** A colon at the end, within emphasis or not. */
const openEnd = /[:：][*_]*$/

/** A longer bullet is said by itself; what stands under it carries only its last sentence. */
const longestLead = 200

/**
 * What a bullet or paragraph says with all that its meaning depends on: headings such as "Never", the sentence that
 * introduces its list, the bullets it stands under. What others carry is not said once more by itself.
 */
export function fullText(block: Open, isParent: boolean): string {
  const text = isParent ? leadAndRest(block).rest : block.lines.join("\n").trim()
  const leads = leadsOf(block)
  if (text === "" || [text, ...leads].some(isStruckOut)) return ""
  const said = leads.reduceRight((rest, lead) => joined(lead, rest), text)
  return qualifiersOf(block.headings).reduceRight(
    (rest, heading) => (isDenying(heading) && beginsDenying(rest) ? rest : joined(heading, rest)),
    said,
  )
}

/** Whether the list after a paragraph goes on with what it says. `isClose` if no empty line is between the two. */
export function introducesList(block: Open, isClose: boolean): boolean {
  if (block.codeAt !== undefined) return false
  const last = plain(sentencesOf(block.lines.join("\n")).at(-1) ?? "")
  if (endsOpen(block) || pointsAhead(last)) return true
  return !/[.!?…。)]$/.test(last) && (isClose || isQualifying(last))
}

/** Whether a paragraph ends with a colon: what comes next belongs to it. */
export function endsOpen({ lines, codeAt }: Open): boolean {
  return codeAt === undefined && openEnd.test(lines.at(-1) ?? "")
}

/** What those under a bullet or paragraph carry of it, and what is left to be said by itself. */
function leadAndRest({ lines, codeAt }: Open): { lead: string; rest: string } {
  const whole = lines.join("\n").trim()
  const prose = lines.slice(0, codeAt).join("\n").trim()
  const sentences = sentencesOf(prose)
  const last = sentences.at(-1) ?? ""
  if (codeAt !== undefined) return { lead: last, rest: whole }
  if (openEnd.test(last)) return { lead: last, rest: sentences.slice(0, -1).join(" ") }
  return prose.length > longestLead ? { lead: last, rest: whole } : { lead: prose, rest: "" }
}

function leadsOf({ parent }: Open): string[] {
  if (parent === undefined) return []
  const { lead } = leadAndRest(parent)
  return [...leadsOf(parent), ...(lead === "" ? [] : [lead])]
}

/** The headings that change what stands under them, without those that a deeper one takes back. */
function qualifiersOf(headings: readonly string[]): string[] {
  const telling = headings.map((heading) => ({ heading, qualifies: isQualifying(heading) }))
  const reset = telling.findLastIndex(({ heading, qualifies }) => !qualifies && isAffirming(heading))
  return telling.slice(reset + 1).flatMap(({ heading, qualifies }) => (qualifies ? [heading] : []))
}

function joined(lead: string, text: string): string {
  const begin = plain(lead)
  const gap = text.startsWith("```") || text.startsWith("~~~") ? "\n" : " "
  if (openEnd.test(begin) || /[!?…]$/.test(begin)) return `${begin}${gap}${text}`
  return `${begin.replace(/[.,;]$/, "")}:${gap}${text}`
}

/** A text without the signs of emphasis around all of it. */
function plain(text: string): string {
  const inner = /^(\*{1,3}|_{1,3})(?!\s)([^*_]+)\1(:?)$/.exec(text.trim())
  return inner === null ? text.trim() : `${inner[2] ?? ""}${inner[3] ?? ""}`.trim()
}

/** What somebody struck out is not said any more. */
function isStruckOut(text: string): boolean {
  return /^~~[^~]+~~[.!]?$/.test(text)
}

function sentencesOf(text: string): string[] {
  return text.trim().split(/(?<=[.!?…。])\s+/)
}
