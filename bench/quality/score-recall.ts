import type { TellProgress } from "../shared/figures.ts"
import { type Score, type Scores, share } from "./compare.ts"
import { sampleOf } from "./data.ts"
import { type Category, type Conversation, categories, type LocomoQuestion } from "./locomo.ts"
import { type Haystack, poolOf } from "./longmemeval.ts"
import { type Memaware, tiers } from "./memaware.ts"
import { mean, recallAt, sessionsOf } from "./metrics.ts"
import type { Item, Store, System } from "./system.ts"

interface AskOptions {
  /** How many questions at most. */
  sample?: number | undefined
  say(text: string): void
  progress: TellProgress
}

/** How much of the evidence of LoCoMo's questions is among the first turns, and all of it. */
export async function scoreLocomo(
  system: System,
  conversations: readonly Conversation[],
  { sample, say, progress }: AskOptions,
): Promise<Scores> {
  const asked = sampleOf(usableQuestions(conversations), sample)
  const found: { category: Category; at5: number; at10: number }[] = []
  for (const conversation of conversations) {
    const questions = asked.filter((one) => one.conversation === conversation)
    if (questions.length === 0) continue
    say(`${system.name}: LoCoMo ${conversation.id}`)
    await withStore(system, conversation.items, async (store) => {
      for (const { category, question, evidence } of questions) {
        const { hits } = await store.search(question, 10, { at: conversation.endsAt })
        const turns = hits.map((hit) => hit.sourceId)
        progress(`${system.name}: LoCoMo`, found.length, asked.length)
        found.push({ category, at5: recallAt(turns, evidence, 5), at10: recallAt(turns, evidence, 10) })
      }
    })
  }
  const within = (category: Category) => found.filter((one) => one.category === category)
  const at10 = (some: typeof found) => mean(some.map((one) => one.at10))
  const ofCategories = Object.values(categories).map((category): [string, number] => [
    `locomo.${category}.recall@10`,
    at10(within(category)),
  ])
  return sharesOf([
    ["locomo.recall@5", mean(found.map((one) => one.at5))],
    ["locomo.recall@10", at10(found)],
    ["locomo.multi-hop.all@10", mean(within("multi-hop").map((one) => Math.floor(one.at10)))],
    ...ofCategories,
  ])
}

type AskedQuestion = LocomoQuestion & { conversation: Conversation }

/** The questions that have evidence in their conversation. */
export function usableQuestions(conversations: readonly Conversation[]): AskedQuestion[] {
  return conversations.flatMap((conversation) =>
    conversation.questions
      .filter((question) => question.evidence.length > 0)
      .map((question) => ({ ...question, conversation })),
  )
}

/** Whether any, and all, of the sessions with the answer are among the first five of each question's haystack. */
export async function scoreLongMemEval(
  system: System,
  haystacks: readonly Haystack[],
  { sample, progress }: AskOptions,
): Promise<Scores> {
  const asked = answerable(haystacks, sample)
  const found: Found[] = []
  for (const [index, haystack] of asked.entries()) {
    progress(`${system.name}: LongMemEval`, index, asked.length)
    await withStore(system, haystack.items, async (store) => {
      found.push(
        await findSessions(store, sessionIndex(haystack.items), { ...haystack, at: haystack.askedAt, k: 5 }),
      )
    })
  }
  return anyAndAll("longmemeval", found)
}

/** The same questions asked of one store with the sessions of all haystacks, each once. */
export async function scorePooled(
  system: System,
  haystacks: readonly Haystack[],
  { sample, say }: AskOptions,
): Promise<Scores> {
  const asked = answerable(haystacks, sample)
  const items = poolOf(sample === undefined ? haystacks : asked)
  say(`${system.name}: LongMemEval pooled, ${items.length} turns`)
  const found: Found[] = []
  const sessionOf = sessionIndex(items)
  await withStore(system, items, async (store) => {
    for (const { question, answers, askedAt } of asked) {
      found.push(await findSessions(store, sessionOf, { question, answers, at: askedAt, k: 5 }))
    }
  })
  return anyAndAll("longmemeval.pooled", found)
}

function answerable(haystacks: readonly Haystack[], sample: number | undefined): Haystack[] {
  return sampleOf(
    haystacks.filter((haystack) => !haystack.unanswerable),
    sample,
  )
}

/** Whether a session that matters is among the first ten, by how far the question is from it. */
export async function scoreMemaware(
  system: System,
  { items, questions, endsAt }: Memaware,
  { sample, say }: AskOptions,
): Promise<Scores> {
  say(`${system.name}: MemAware, ${items.length} turns`)
  const found: (Found & { tier: (typeof tiers)[number] })[] = []
  const sessionOf = sessionIndex(items)
  await withStore(system, items, async (store) => {
    for (const { question, answers, tier } of sampleOf(questions, sample)) {
      found.push({
        tier,
        ...(await findSessions(store, sessionOf, { question, answers, at: endsAt, k: 10 })),
      })
    }
  })
  return sharesOf(
    tiers.map((tier): [string, number] => [
      `memaware.${tier}.any@10`,
      mean(found.filter((one) => one.tier === tier).map((one) => one.any)),
    ]),
  )
}

/** 1 if any, and if all, of the wanted sessions were found, else 0. */
interface Found {
  any: number
  all: number
}

interface SessionQuestion {
  question: string
  answers: readonly string[]
  at: number
  k: number
}

/** Turns asked for to have one session: sessions rank by their first turn, and many turns are of the same one. */
const turnsForSession = 20

async function findSessions(
  store: Store,
  sessionOf: ReadonlyMap<string, string>,
  { question, answers, at, k }: SessionQuestion,
): Promise<Found> {
  const { hits } = await store.search(question, k * turnsForSession, { at })
  const sessions = sessionsOf(
    hits.map((hit) => hit.sourceId),
    sessionOf,
  )
  const share = recallAt(sessions, answers, k)
  return { any: Math.ceil(share), all: Math.floor(share) }
}

/** The session of each turn. */
function sessionIndex(items: readonly Item[]): Map<string, string> {
  return new Map(items.map((item) => [item.sourceId, item.sessionId]))
}

function anyAndAll(prefix: string, found: readonly Found[]): Scores {
  return sharesOf([
    [`${prefix}.any@5`, mean(found.map((one) => one.any))],
    [`${prefix}.all@5`, mean(found.map((one) => one.all))],
  ])
}

/** Without those of which there was no question. */
function sharesOf(values: readonly [string, number][]): Scores {
  return new Map(
    values
      .filter(([, value]) => !Number.isNaN(value))
      .map(([id, value]): [string, Score] => [id, share(value)]),
  )
}

/** Opens a store for some work and closes it whatever happens. */
export async function withStore<T>(
  system: System,
  items: readonly Item[],
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await system.open(items)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
