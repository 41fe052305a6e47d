import { retrieve } from "../../src/memory/find/retrieve.ts"
import { searchTerms } from "../../src/storage/search.ts"
import type { Figure } from "../shared/figures.ts"
import { searchedProject } from "../shared/made-up-texts.ts"
import { hold, spreadFigures } from "./contest.ts"
import { rememberVectors } from "./embedders.ts"
import { type Both, type MeasuredStore, resultLimit } from "./measured-store.ts"
import { needsOf } from "./needs.ts"

/**
 * Questions in the words of people, embedded by the real model, beside the ids alone that bare full text finds; and the
 * same without embedding, and with words alone; and long ones, which sessions as a whole are read for.
 */
export async function measureRetrieval(measured: MeasuredStore, both: Both): Promise<Figure[]> {
  const { rows, talk, plan, embedders } = measured
  const questions = Array.from({ length: plan.questionsInRound }, () => talk.question().text)
  const given = await rememberVectors(embedders.real, questions)
  const next = createTurns(questions)
  const whole = await contestOfQuestions(measured, both, needsOf(both.db, embedders.real), next)
  const rest = await contestOfQuestions(measured, both, needsOf(both.db, given), next)
  const words = await contestOfQuestions(measured, both, needsOf(both.db, undefined), next)
  const long = await contestOfQuestions(measured, both, needsOf(both.db, embedders.real), () =>
    [next(), next(), next()].join(" "),
  )
  const name = retrieveName(measured)
  return [
    ...spreadFigures(name, rows, whole),
    ...spreadFigures(`${name}-without-embedding`, rows, rest),
    ...spreadFigures(`${name}-by-words`, rows, words),
    ...spreadFigures(`${name}-long`, rows, long),
    { id: `${name}.found.${rows}`, value: await shareFound(measured, both), unit: "share", better: "higher" },
  ]
}

/** The figure of the standard database has no prefix: it is the one that counts. */
function retrieveName({ store }: MeasuredStore): string {
  return store.kind === "sqlite" ? "retrieve" : `${store.kind}.retrieve`
}

function createTurns<T>(list: readonly T[]): () => T {
  let turn = 0
  return () => {
    const one = list[turn % list.length]
    turn += 1
    if (one === undefined) throw new RangeError("there is nothing to take turns with")
    return one
  }
}

function contestOfQuestions(
  { plan, store }: MeasuredStore,
  both: Both,
  needs: ReturnType<typeof needsOf>,
  input: () => string,
) {
  return hold({
    rounds: plan.rounds,
    times: plan.questionsInRound,
    input,
    ours: (query) => retrieve(needs, { query, project: searchedProject, limit: resultLimit }),
    plain: {
      name: store.kind === "sqlite" ? "bare FTS5, ids only" : "bare tsvector, ids only",
      act: (query) => both.plain.search(searchTerms(query), resultLimit),
    },
  })
}

const checkedQuestions = 40

/** How many of the questions that have an answer get it among their results: answers found fast must be answers. */
async function shareFound({ talk, embedders }: MeasuredStore, { db }: Both): Promise<number> {
  const needs = needsOf(db, embedders.real)
  let found = 0
  for (let checked = 0; checked < checkedQuestions; ) {
    const { text, answer } = talk.question()
    if (answer === undefined) continue
    checked += 1
    const { hits } = await retrieve(needs, {
      query: text,
      allProjects: true,
      gate: false,
      limit: resultLimit,
    })
    if (hits.some(({ memory }) => memory.sourceId === answer)) found += 1
  }
  const share = found / checkedQuestions
  if (share < 0.5) throw new Error(`only ${found} of ${checkedQuestions} questions got their answer`)
  return share
}
