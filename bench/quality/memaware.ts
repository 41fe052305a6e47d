import { createReadStream } from "node:fs"
import { createGunzip } from "node:zlib"
import { z } from "zod"
import { readTar } from "../../src/embedding/download/tar.ts"
import { dataFiles, readValues } from "./data.ts"
import type { Item } from "./system.ts"

export const tiers = ["easy", "medium", "hard"] as const

interface ImplicitQuestion {
  question: string
  tier: (typeof tiers)[number]
  /** The sessions that matter for it. */
  answers: string[]
}

/** Sessions of one person, and questions that do not ask for them but need them. */
export interface Memaware {
  items: Item[]
  questions: ImplicitQuestion[]
  /** When the last session was: the questions are asked then. */
  endsAt: number
}

const questionSchema = z.object({
  question: z.string(),
  difficulty: z.enum(tiers),
  answer_session_ids: z.array(z.string()),
})

/** MemAware from a folder: every file of questions, every archive of sessions. */
export async function loadMemaware(folder: string): Promise<Memaware> {
  const questions = dataFiles(folder, [".json"])
    .flatMap(readValues)
    .map((value) => questionSchema.parse(value))
    .map(({ question, difficulty, answer_session_ids }) => ({
      question,
      tier: difficulty,
      answers: answer_session_ids,
    }))
  const items: Item[] = []
  for (const archive of dataFiles(folder, [".tar.gz"])) {
    for await (const text of daysIn(archive)) items.push(...dayItems(text))
  }
  return { items, questions, endsAt: items.reduce((latest, item) => Math.max(latest, item.createdAt), 0) }
}

/** The texts of the days in an archive; files that begin with a dot are none. */
async function* daysIn(archive: string): AsyncGenerator<string> {
  for await (const { path, content } of readTar(createReadStream(archive).pipe(createGunzip()), 2 ** 31)) {
    if (!/(^|\/)[^./][^/]*\.md$/.test(path)) continue
    const parts: Uint8Array[] = []
    for await (const part of content) parts.push(part)
    yield Buffer.concat(parts).toString("utf8")
  }
}

/** The turns in the text of one day: a heading for each session, its date, then who said what. */
function dayItems(text: string): Item[] {
  return text
    .split(/^## Session /m)
    .slice(1)
    .flatMap((part) => {
      const [, sessionId = "", date = "", body = ""] =
        /^(\S+)[^\n]*\nSession Date: (\S+)[^\n]*\n([\s\S]*)$/.exec(part) ?? []
      const createdAt = Date.parse(`${date}T00:00:00Z`)
      if (Number.isNaN(createdAt))
        throw new Error(`MemAware has a session of another form: ${part.slice(0, 80)}`)
      return turnsIn(body).map((content, messageIndex) => ({
        sourceId: `${sessionId}#${messageIndex}`,
        content,
        sessionId,
        messageIndex,
        createdAt,
      }))
    })
}

function turnsIn(body: string): string[] {
  return body
    .split(/^(?=(?:User|Assistant): )/m)
    .map((turn) => turn.trim())
    .filter((turn) => turn !== "")
    .map((turn) => turn.replace(/^(User|Assistant):/, (role) => role.toLowerCase()))
}
