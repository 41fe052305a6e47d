import { z } from "zod"
import { dataFiles, readValues } from "./data.ts"
import type { Item } from "./system.ts"

/** The names of LoCoMo's categories, by their number. */
export const categories = {
  1: "multi-hop",
  2: "temporal",
  3: "open-domain",
  4: "single-hop",
  5: "adversarial",
} as const

export type Category = (typeof categories)[keyof typeof categories]

export interface LocomoQuestion {
  question: string
  category: Category
  /** Ids of the turns that hold the answer; those that exist, so it may be empty. */
  evidence: string[]
}

/** One conversation of two people over many sessions, with questions about it. */
export interface Conversation {
  id: string
  speakers: [string, string]
  items: Item[]
  questions: LocomoQuestion[]
  /** When its last session was: its questions are asked then. */
  endsAt: number
}

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
})
const conversationSchema = z.object({
  sample_id: z.string(),
  conversation: z.looseObject({ speaker_a: z.string(), speaker_b: z.string() }),
  qa: z.array(
    z.object({
      question: z.string(),
      category: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]),
      evidence: z.array(z.string()).default([]),
    }),
  ),
})

/** LoCoMo's conversations from every file in a folder, each once. */
export function loadLocomo(folder: string): Conversation[] {
  const values = dataFiles(folder, [".json"]).flatMap(readValues)
  const conversations = values.map((value) => conversationOf(conversationSchema.parse(value)))
  return [...new Map(conversations.map((one) => [one.id, one])).values()]
}

function conversationOf({ sample_id, conversation, qa }: z.output<typeof conversationSchema>): Conversation {
  const items = Object.entries(conversation)
    .filter(([key, value]) => /^session_\d+$/.test(key) && Array.isArray(value))
    .flatMap(([key, turns]) => sessionItems(key, turns, conversation[`${key}_date_time`]))
  const known = new Set(items.map((item) => item.sourceId))
  return {
    id: sample_id,
    speakers: [conversation.speaker_a, conversation.speaker_b],
    items,
    questions: qa.map(({ question, category, evidence }) => ({
      question,
      category: categories[category],
      evidence: evidenceIds(evidence).filter((id) => known.has(id)),
    })),
    endsAt: Math.max(...items.map((item) => item.createdAt)),
  }
}

function sessionItems(sessionId: string, turns: unknown, dateTime: unknown): Item[] {
  const createdAt = parseSessionDate(z.string().parse(dateTime))
  return z
    .array(turnSchema)
    .parse(turns)
    .map(({ speaker, dia_id, text, blip_caption }, messageIndex) => {
      const image = blip_caption === undefined ? "" : ` [image: ${blip_caption}]`
      return { sourceId: dia_id, content: `${speaker}: ${text}${image}`, sessionId, messageIndex, createdAt }
    })
}

/** "1:56 pm on 8 May, 2023" as UTC. */
function parseSessionDate(text: string): number {
  const parts = /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/i.exec(text.trim())
  const [, hour, minute, half, day, month, year] = parts ?? []
  const at = Date.parse(`${day} ${month} ${year} 00:00 UTC`)
  if (Number.isNaN(at)) throw new Error(`LoCoMo has a session date of another form: ${text}`)
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0)
  return at + (hours * 60 + Number(minute)) * 60_000
}

/** Ids as the labels mean them: several may stand in one string, with zeros or without, some are broken. */
function evidenceIds(evidence: readonly string[]): string[] {
  const found = evidence.flatMap((text) => [...text.matchAll(/D:?(\d+):(\d+)/g)])
  return [...new Set(found.map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`))]
}
