import type { TellProgress } from "../shared/figures.ts"
import { type Score, type Scores, share } from "./compare.ts"
import { sampleOf } from "./data.ts"
import type { Conversation } from "./locomo.ts"
import { mean } from "./metrics.ts"
import { usableQuestions, withStore } from "./score-recall.ts"
import type { System } from "./system.ts"

const limits = [5, 10] as const

interface AskOptions {
  /** How many questions at most. */
  sample?: number | undefined
  say(text: string): void
  progress: TellProgress
}

/** What came of one answerable question with one limit. */
interface Returned {
  returned: number
  right: number
  recall: number
}

/** What a system that may stay silent returns to answerable questions: how much of it is evidence, how much comes. */
export async function scorePrecision(
  system: System,
  conversations: readonly Conversation[],
  { sample, say, progress }: AskOptions,
): Promise<Scores> {
  const answerable = usableQuestions(conversations).filter((one) => one.category !== "adversarial")
  const asked = sampleOf(answerable, sample)
  const results = new Map<number, Returned[]>(limits.map((limit) => [limit, []]))
  let asks = 0
  for (const conversation of conversations) {
    const questions = asked.filter((one) => one.conversation === conversation)
    if (questions.length === 0) continue
    say(`${system.name}: precision in LoCoMo ${conversation.id}`)
    await withStore(system, conversation.items, async (store) => {
      for (const { question, evidence } of questions) {
        asks += 1
        progress(`${system.name}: precision`, asks, asked.length)
        for (const [limit, list] of results) {
          const answer = await store.search(question, limit, { at: conversation.endsAt, gate: true })
          const hits = answer.abstained ? [] : answer.hits
          const right = hits.filter((hit) => evidence.includes(hit.sourceId)).length
          list.push({ returned: hits.length, right, recall: right / evidence.length })
        }
      }
    })
  }
  return new Map([...results].flatMap(([limit, list]) => scoresOf(limit, list)))
}

function scoresOf(limit: number, list: readonly Returned[]): [string, Score][] {
  const returned = list.reduce((sum, one) => sum + one.returned, 0)
  const right = list.reduce((sum, one) => sum + one.right, 0)
  const answered = mean(list.map((one) => (one.returned > 0 ? 1 : 0)))
  const all: [string, Score][] = [
    [`precision.locomo@${limit}`, share(returned === 0 ? 0 : right / returned)],
    [`gated-recall.locomo@${limit}`, share(mean(list.map((one) => one.recall)))],
    [
      `returned.locomo@${limit}`,
      { value: returned / list.length, unit: "memories", better: "lower", comparable: false },
    ],
  ]
  // Whether it answers does not depend on how much it may return.
  return limit === limits[0] ? [...all, ["answered.locomo", { ...share(answered), comparable: false }]] : all
}
