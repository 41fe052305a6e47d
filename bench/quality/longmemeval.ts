import { z } from "zod"
import { dataFiles, readValues } from "./data.ts"
import type { Item } from "./system.ts"

/** One question with its own haystack of sessions. */
export interface Haystack {
  question: string
  type: string
  /** True when no session of the haystack has the answer. */
  unanswerable: boolean
  askedAt: number
  /** The sessions that hold the answer. */
  answers: string[]
  /** The turns of all its sessions, each session once. */
  items: Item[]
}

const haystackSchema = z.object({
  question_id: z.string(),
  question_type: z.string(),
  question: z.string(),
  question_date: z.string(),
  answer_session_ids: z.array(z.string()),
  haystack_dates: z.array(z.string()),
  haystack_session_ids: z.array(z.string()),
  haystack_sessions: z.array(z.array(z.object({ role: z.string(), content: z.string() }))),
})

/** LongMemEval's questions from every file in a folder. */
export function loadLongMemEval(folder: string): Haystack[] {
  const files = dataFiles(folder, [".jsonl.gz", ".jsonl", ".json"])
  return files.flatMap(readValues).map((value) => haystackOf(haystackSchema.parse(value)))
}

function haystackOf(given: z.output<typeof haystackSchema>): Haystack {
  return {
    question: given.question,
    type: given.question_type,
    unanswerable: given.question_id.endsWith("_abs"),
    askedAt: parseDate(given.question_date),
    answers: given.answer_session_ids,
    items: eachSessionOnce(
      given.haystack_session_ids.flatMap((sessionId, index) => {
        const createdAt = parseDate(given.haystack_dates[index] ?? "")
        return (given.haystack_sessions[index] ?? []).map(({ role, content }, messageIndex) => ({
          sourceId: `${sessionId}#${messageIndex}`,
          content: `${role}: ${content}`,
          sessionId,
          messageIndex,
          createdAt,
        }))
      }),
    ),
  }
}

/** All haystacks in one: the turns of every session, each session once. */
export function poolOf(haystacks: readonly Haystack[]): Item[] {
  return eachSessionOnce(haystacks.flatMap((haystack) => haystack.items))
}

function eachSessionOnce(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.sourceId, item])).values()]
}

/** "2023/06/23 (Fri) 07:31" as UTC. */
function parseDate(text: string): number {
  const [, year, month, day, hour, minute] = /^(\d+)\/(\d+)\/(\d+) \(\w+\) (\d+):(\d+)$/.exec(text) ?? []
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute))
  if (Number.isNaN(at)) throw new Error(`LongMemEval has a date of another form: ${text}`)
  return at
}
