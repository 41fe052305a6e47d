import { z } from "zod"
import { hasOpenReference } from "../../language/read/open-reference.ts"
import { asSentence } from "../../language/read/third-person.ts"
import { triggersOf } from "../../language/read/trigger-words.ts"
import type { Turn } from "../../sessions/turn.ts"
import { type MemoryType, memoryTypes } from "../model/kinds.ts"
import type { Question } from "../write/gaps.ts"
import type { Claim } from "./claim.ts"
import { isSupportedBy } from "./evidence.ts"

/** A note of the model, as its tool describes it. */
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

/** Types that only the user's own words can support. */
const personal: ReadonlySet<MemoryType> = new Set(["preference", "correction", "negative", "procedure"])

export interface Excerpt {
  turns: readonly Turn[]
  from: number
  gaps: readonly Question[]
}

/** A note as a claim, if the turns it cites support it; what only the agent found out is quarantined. */
export function checkNote(note: Note, { turns, from, gaps }: Excerpt): Claim | undefined {
  const content = note.content.replaceAll(/\s+/g, " ").trim()
  if (content.length < shortest || content.length > longest || hasOpenReference(content)) return undefined
  const cited = turns.filter(({ position }) => note.turns.includes(position))
  const credibility = credibilityOf(content, note.type, cited, from)
  if (credibility === undefined) return undefined
  const positions = cited.map(({ position }) => position)
  const gap = note.question === undefined ? undefined : gaps[note.question - 1]?.id
  return {
    content: asSentence(content),
    type: note.type,
    from: Math.min(...positions),
    to: Math.max(...positions),
    reason: "model",
    ...credibility,
    ...partsOf(note, content, cited),
    ...(gap === undefined ? {} : { gap }),
  }
}

/** How far a note is believed; undefined if nobody whose word counts said it. */
function credibilityOf(
  content: string,
  type: MemoryType,
  cited: readonly Turn[],
  from: number,
): Pick<Claim, "source" | "confidence" | "quarantined"> | undefined {
  const users = cited.filter(({ role }) => role === "user")
  const isNew = (turn: Turn) => turn.position >= from
  if (users.some(isNew) && isSupportedBy(content, users)) return { source: "extracted", confidence: 0.7 }
  if (personal.has(type) || !cited.some(isNew) || !isSupportedBy(content, spoken(cited))) return undefined
  return { source: "inferred", confidence: 0.4, quarantined: true }
}

/** The steps of a procedure, if the user said them all; the triggers of a prohibition. */
function partsOf(note: Note, content: string, cited: readonly Turn[]): Pick<Claim, "steps" | "triggers"> {
  if (note.type === "negative") {
    const triggers = triggersOf(content)
    return triggers.length > 0 ? { triggers } : {}
  }
  const { steps = [] } = note
  const users = cited.filter(({ role }) => role === "user")
  const areTold = note.type === "procedure" && steps.length > 0
  return areTold && steps.every((step) => isSupportedBy(step, users)) ? { steps } : {}
}

/** Without the output of tools. */
function spoken(turns: readonly Turn[]): Turn[] {
  return turns.filter(({ role }) => role !== "tool")
}
