import { fileURLToPath } from "node:url"
import { z } from "zod"
import { type Score, type Scores, share } from "./compare.ts"
import { readValues } from "./data.ts"
import { mean } from "./metrics.ts"
import { withStore } from "./score-recall.ts"
import type { Item, System } from "./system.ts"

/** Notes in many languages, all of one store, and questions about them in their language. */
interface Languages {
  notes: { id: string; note: string }[]
  questions: Question[]
}

interface Question {
  language: string
  question: string
  /** The note that answers; null if none does. */
  answer: string | null
  /** One letter of it is wrong. */
  typo?: boolean | undefined
}

const lineSchema = z.union([
  z.object({ language: z.string(), id: z.string(), note: z.string() }),
  z.object({
    language: z.string(),
    question: z.string(),
    answer: z.string().nullable(),
    typo: z.boolean().optional(),
  }),
])

/** Our own, written for this purpose by whoever wrote the rules, who saw its figures on the way. */
export function loadLanguages(): Languages {
  const file = fileURLToPath(new URL("../data/languages.jsonl", import.meta.url))
  const lines = readValues(file).map((value) => lineSchema.parse(value))
  return {
    notes: lines.flatMap((line) => ("note" in line ? [line] : [])),
    questions: lines.flatMap((line) => ("question" in line ? [line] : [])),
  }
}

const shown = 5

/** How often the right note is among five, by language: of all, of those with a typo, and with the gate on. */
export async function scoreLanguages(system: System, { notes, questions }: Languages): Promise<Scores> {
  const asked = await withStore(system, notes.map(itemOf), async (store) => {
    const all = []
    for (const one of questions) {
      const { hits } = await store.search(one.question, shown, { gate: false })
      const gated = await store.search(one.question, shown, { gate: true })
      const isFound = (some: typeof hits) => some.some(({ sourceId }) => sourceId === one.answer)
      all.push({ ...one, isFound: isFound(hits), isShown: isFound(gated.hits), isSilent: gated.abstained })
    }
    return all
  })
  return new Map([
    ...[...Map.groupBy(asked, ({ language }) => language)].flatMap(([name, own]) => scoresOf(name, own)),
    ...scoresOf("all", asked),
    ["all.silent", shareOf(asked, ({ answer }) => answer === null, "isSilent")],
  ])
}

type Asked = Question & Record<"isFound" | "isShown" | "isSilent", boolean>

function scoresOf(name: string, asked: readonly Asked[]): [string, Score][] {
  const isPlain = ({ answer, typo }: Asked) => answer !== null && typo !== true
  const isTypo = ({ typo }: Asked) => typo === true
  const typos: [string, Score][] = asked.some(isTypo)
    ? [[`${name}.typo.found@${shown}`, shareOf(asked, isTypo, "isFound")]]
    : []
  return [
    [`${name}.found@${shown}`, shareOf(asked, isPlain, "isFound")],
    [`${name}.answered@${shown}`, shareOf(asked, isPlain, "isShown")],
    ...typos,
  ]
}

function shareOf(
  asked: readonly Asked[],
  isMeant: (one: Asked) => boolean,
  sign: "isFound" | "isShown" | "isSilent",
): Score {
  return share(mean(asked.filter(isMeant).map((one) => (one[sign] ? 1 : 0))))
}

function itemOf({ id, note }: { id: string; note: string }, place: number): Item {
  return {
    sourceId: id,
    content: note,
    sessionId: `note ${place}`,
    messageIndex: 0,
    createdAt: 1e12 + place,
  }
}
