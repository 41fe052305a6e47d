import { z } from "zod"
import type { Turn } from "../../sessions/turn.ts"
import { type MemoryType, memoryTypes } from "../model/kinds.ts"
import type { Question } from "../write/gaps.ts"
import type { Claim } from "./claim.ts"
import { isBorneOutBy } from "./evidence.ts"
import { isDangling } from "./rules/read/reference.ts"
import { sentence } from "./rules/read/third-person.ts"
import { triggersOf } from "./rules/read/trigger-words.ts"

/** What the model may note, as it is told. */
export const noteSchema = z.object({
  content: z.string().describe("one sentence that stands alone"),
  type: z.enum(memoryTypes),
  turns: z.array(z.int()).describe("positions of all turns it rests on"),
  steps: z.array(z.string()).optional().describe("of a procedure, in order"),
  question: z.int().optional().describe("the number of the open question it answers"),
})

export type Note = z.output<typeof noteSchema>

const shortest = 10
const longest = 300

/** Types that only a person's own words can bear out. */
const personal: ReadonlySet<MemoryType> = new Set(["preference", "correction", "negative", "procedure"])

export interface Excerpt {
  turns: readonly Turn[]
  /** The first position that was not read before. */
  from: number
  gaps: readonly Question[]
}

/** A note as a claim, if the turns it cites bear it out; what only the agent found out is supposed for now. */
export function checkNote(note: Note, { turns, from, gaps }: Excerpt): Claim | undefined {
  const content = note.content.replaceAll(/\s+/g, " ").trim()
  if (content.length < shortest || content.length > longest || isDangling(content)) return undefined
  const cited = turns.filter(({ position }) => note.turns.includes(position))
  const standing = standingOf(content, note.type, cited, from)
  if (standing === undefined) return undefined
  const positions = cited.map(({ position }) => position)
  const gap = note.question === undefined ? undefined : gaps[note.question - 1]?.id
  return {
    content: sentence(content),
    type: note.type,
    from: Math.min(...positions),
    to: Math.max(...positions),
    reason: "model",
    ...standing,
    ...partsOf(note, content, cited),
    ...(gap === undefined ? {} : { gap }),
  }
}

/** How far it is believed, by who said it; undefined where nobody did who counts. */
function standingOf(
  content: string,
  type: MemoryType,
  cited: readonly Turn[],
  from: number,
): Pick<Claim, "source" | "confidence" | "quarantined"> | undefined {
  const users = cited.filter(({ role }) => role === "user")
  const isNew = (turn: Turn) => turn.position >= from
  if (users.some(isNew) && isBorneOutBy(content, users)) return { source: "extracted", confidence: 0.7 }
  if (personal.has(type) || !cited.some(isNew) || !isBorneOutBy(content, spoken(cited))) return undefined
  return { source: "inferred", confidence: 0.4, quarantined: true }
}

/** The steps of a procedure, if the user told them all; what brings a prohibition up. */
function partsOf(note: Note, content: string, cited: readonly Turn[]): Pick<Claim, "steps" | "triggers"> {
  if (note.type === "negative") {
    const triggers = triggersOf(content)
    return triggers.length > 0 ? { triggers } : {}
  }
  const { steps = [] } = note
  const users = cited.filter(({ role }) => role === "user")
  const areTold = note.type === "procedure" && steps.length > 0
  return areTold && steps.every((step) => isBorneOutBy(step, users)) ? { steps } : {}
}

/** What was said by somebody; the output of a tool is nobody's word. */
function spoken(turns: readonly Turn[]): Turn[] {
  return turns.filter(({ role }) => role !== "tool")
}
