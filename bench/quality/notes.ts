import { fileURLToPath } from "node:url"
import { z } from "zod"
import { type Scores, share } from "./compare.ts"
import { readValues, sampleOf } from "./data.ts"
import { areaUnderCurve, mean } from "./metrics.ts"
import { withStore } from "./score-recall.ts"
import type { Item, System } from "./system.ts"

/** Short notes as agents and teams keep them, each by itself, and questions in other words; some have no answer. */
interface Notes {
  name: string
  notes: string[]
  questions: { question: string; answers: string[] }[]
}

const lineSchema = z.union([
  z.object({ store: z.string(), note: z.string() }),
  z.object({ store: z.string(), question: z.string(), answers: z.array(z.string()) }),
])

/** Our own: "agent" is what silence about notes was fitted on, "team" was written by somebody else afterwards. */
export function loadNotes(): Notes[] {
  const file = fileURLToPath(new URL("../data/notes.jsonl", import.meta.url))
  const lines = readValues(file).map((value) => lineSchema.parse(value))
  return [...Map.groupBy(lines, ({ store }) => store)].map(([name, own]) => ({
    name,
    notes: own.flatMap((line) => ("note" in line ? [line.note] : [])),
    questions: own.flatMap((line) => ("question" in line ? [line] : [])),
  }))
}

interface AskOptions {
  sample?: number | undefined
  say(text: string): void
}

const shown = 5

/** How often the right note comes first, how often anything comes, and how often nothing does where nothing is known. */
export async function scoreNotes(
  system: System,
  stores: readonly Notes[],
  { sample, say }: AskOptions,
): Promise<Scores> {
  const scores: Scores[] = []
  for (const { name, notes, questions } of stores) {
    say(`${system.name}: notes of ${name}`)
    const asked = await withStore(system, notes.map(itemOf), async (store) => {
      const all = []
      for (const { question, answers } of sampleOf(questions, sample)) {
        const gated = await store.search(question, shown, { gate: true })
        const texts = (gated.abstained ? [] : gated.hits).map(({ sourceId }) => notes[Number(sourceId)] ?? "")
        const isRight = texts.map((text) =>
          answers.some((part) => text.toLowerCase().includes(part.toLowerCase())),
        )
        all.push({ isKnown: answers.length > 0, confidence: gated.confidence, isRight })
      }
      return all
    })
    scores.push(scoresOf(name, asked))
  }
  return new Map(scores.flatMap((one) => [...one]))
}

interface Asked {
  isKnown: boolean
  confidence: number
  /** Of each note that came back whether it answers. */
  isRight: boolean[]
}

function scoresOf(name: string, asked: readonly Asked[]): Scores {
  const known = asked.filter(({ isKnown }) => isKnown)
  const unknown = asked.filter(({ isKnown }) => !isKnown)
  const of = (some: readonly Asked[], is: (one: Asked) => boolean | undefined) =>
    share(mean(some.map((one) => (is(one) ? 1 : 0))))
  return new Map([
    [`notes.${name}.first`, of(known, ({ isRight }) => isRight[0])],
    [`notes.${name}.among-${shown}`, of(known, ({ isRight }) => isRight.includes(true))],
    [`notes.${name}.answered`, of(known, ({ isRight }) => isRight.length > 0)],
    [`notes.${name}.silent`, of(unknown, ({ isRight }) => isRight.length === 0)],
    [`notes.${name}.precision`, share(mean(known.flatMap(({ isRight }) => isRight.map(Number))))],
    [`notes.${name}.auc`, share(areaUnderCurve(known.map(sureness), unknown.map(sureness)))],
  ])
}

function sureness({ confidence }: Asked): number {
  return confidence
}

function itemOf(content: string, place: number): Item {
  return { sourceId: String(place), content, sessionId: `note ${place}`, messageIndex: 0, createdAt: place }
}
