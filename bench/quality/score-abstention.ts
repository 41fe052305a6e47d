import type { TellProgress } from "../shared/figures.ts"
import { type Score, type Scores, share } from "./compare.ts"
import { sampleOf } from "./data.ts"
import type { Conversation } from "./locomo.ts"
import type { Haystack } from "./longmemeval.ts"
import { areaUnderCurve, mean, rejectedAtKeeping } from "./metrics.ts"
import { usableQuestions, withStore } from "./score-recall.ts"
import type { Answer, Store, System } from "./system.ts"

interface AskOptions {
  /** How many questions of each kind at most. */
  sample?: number | undefined
  say(text: string): void
  progress: TellProgress
}

const limit = 10
/** Shares of answerable questions that are to be kept, for the points of the curve. */
const keeps = [0.99, 0.97, 0.95, 0.9, 0.85, 0.8]

/** How sure a system was, and whether it would have said nothing. */
type Sureness = Pick<Answer, "confidence" | "abstained">

/**
 * Questions a LoCoMo conversation answers against those it does not: the questions of the next conversation as they
 * are, the same with its speakers' names exchanged for this one's, and those that name the wrong person.
 */
export async function scoreLocomoAbstention(
  system: System,
  conversations: readonly Conversation[],
  { sample, say }: AskOptions,
): Promise<Scores> {
  const all = usableQuestions(conversations)
  const answerable = sampleOf(
    all.filter((one) => one.category !== "adversarial"),
    sample,
  )
  const wrongPerson = sampleOf(
    all.filter((one) => one.category === "adversarial"),
    sample,
  )
  const own: Sureness[] = []
  const against = { swapped: [] as Sureness[], raw: [] as Sureness[], adversarial: [] as Sureness[] }
  for (const [index, conversation] of conversations.entries()) {
    const other = conversations[(index + 1) % conversations.length]
    const of = (some: typeof all, from: Conversation | undefined) =>
      some.filter((one) => one.conversation === from).map((one) => one.question)
    const foreign = other === conversation || other === undefined ? [] : of(answerable, other)
    const swap = swapNames(other?.speakers ?? conversation.speakers, conversation.speakers)
    say(`${system.name}: abstention in LoCoMo ${conversation.id}`)
    await withStore(system, conversation.items, async (store) => {
      const ask = (questions: string[]) => askAll(store, questions, conversation.endsAt)
      own.push(...(await ask(of(answerable, conversation))))
      against.raw.push(...(await ask(foreign)))
      against.swapped.push(...(await ask(foreign.map(swap))))
      against.adversarial.push(...(await ask(of(wrongPerson, conversation))))
    })
  }
  return new Map(Object.entries(against).flatMap(([kind, others]) => separation(kind, own, others)))
}

/** Exchanges two people's names for two others', also in "Ann's". */
function swapNames(from: readonly [string, string], to: readonly [string, string]) {
  const names = new Map([
    [from[0].toLowerCase(), to[0]],
    [from[1].toLowerCase(), to[1]],
  ])
  const pattern = new RegExp(`\\b(?:${from.map(literally).join("|")})\\b`, "gi")
  return (question: string) => question.replaceAll(pattern, (name) => names.get(name.toLowerCase()) ?? name)
}

/** A pattern for exactly this text. */
function literally(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ]/gu, "\\$&")
}

/** Questions whose haystack has no answer against those whose has one. */
export async function scoreLongMemEvalAbstention(
  system: System,
  haystacks: readonly Haystack[],
  { sample, progress }: AskOptions,
): Promise<Scores> {
  const asked = [true, false].flatMap((unanswerable) =>
    sampleOf(
      haystacks.filter((one) => one.unanswerable === unanswerable),
      sample,
    ),
  )
  const answered: Sureness[] = []
  const unanswered: Sureness[] = []
  for (const [index, { items, question, askedAt, unanswerable }] of asked.entries()) {
    progress(`${system.name}: abstention in LongMemEval`, index, asked.length)
    await withStore(system, items, async (store) => {
      const list = unanswerable ? unanswered : answered
      list.push(...(await askAll(store, [question], askedAt)))
    })
  }
  return new Map(separation("longmemeval-abs", answered, unanswered))
}

async function askAll(store: Store, questions: readonly string[], at: number): Promise<Sureness[]> {
  const answers: Sureness[] = []
  for (const question of questions) {
    const { confidence, abstained, hits } = await store.search(question, limit, { at, gate: true })
    answers.push({ confidence, abstained: abstained || hits.length === 0 })
  }
  return answers
}

/** How well sureness tells the two apart: over all thresholds, at the system's own, and along the curve. */
function separation(kind: string, own: readonly Sureness[], others: readonly Sureness[]): [string, Score][] {
  if (own.length === 0 || others.length === 0) return []
  const sure = own.map((one) => one.confidence)
  const wrong = others.map((one) => one.confidence)
  const kept = mean(own.map((one) => (one.abstained ? 0 : 1)))
  const rejected = mean(others.map((one) => (one.abstained ? 1 : 0)))
  const curve = keeps.map((keep): [string, Score] => [
    `abstention.${kind}.reject@keep${Math.round(keep * 100)}`,
    { ...share(rejectedAtKeeping(sure, wrong, keep)), detail: true },
  ])
  return [
    [`abstention.${kind}.auc`, share(areaUnderCurve(sure, wrong))],
    // Each alone is easy: by always or never saying something.
    [`abstention.${kind}.kept`, { ...share(kept), comparable: false }],
    [`abstention.${kind}.rejected`, { ...share(rejected), comparable: false }],
    ...curve,
  ]
}
