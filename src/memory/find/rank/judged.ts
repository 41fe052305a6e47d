import { messageOf } from "../../../base/errors.ts"
import type { Log } from "../../../base/log.ts"
import type { Embedder } from "../../../embedding/embedder.ts"
import { type Judgement, judgementOf } from "../../../judgement/judgement.ts"
import type { Reader } from "../../../storage/transaction.ts"
import { textsOf } from "../pool.ts"
import { type Calibration, hitLikelihood } from "./calibration.ts"
import type { Ranked } from "./rank.ts"

/**
 * So many of the first are shown to the trained model.
 * @internal exported for training/gate.ts
 */
export const mostJudged = 5

interface JudgeNeeds {
  db: Reader
  log: Log
  embedder: Embedder | undefined
}

/**
 * Asks the trained model whether the first few notes answer, and puts those first that most likely do. As they were where
 * there is no such model, or it fails.
 */
export async function judgeFirst(
  { db, log, embedder }: JudgeNeeds,
  question: string,
  ranked: readonly Ranked[],
  calibration: Calibration,
): Promise<Ranked[]> {
  if (calibration.judged === undefined) return [...ranked]
  const seqs = ranked.slice(0, mostJudged).map(({ candidate }) => candidate.seq)
  const texts = await textsOf(db, seqs)
  try {
    const textOf = ({ candidate }: Ranked) => texts.get(candidate.seq) ?? ""
    return reordered(await judgedBy(judgementOf(embedder), question, ranked, textOf), calibration.judged)
  } catch (error) {
    log.warn("The trained model could not judge answers; they are ranked without it", {
      reason: messageOf(error),
    })
    return [...ranked]
  }
}

/**
 * The same, with what the trained model says of the first few.
 * @internal exported for training/gate.ts
 */
export async function judgedBy(
  judgement: Judgement | undefined,
  question: string,
  ranked: readonly Ranked[],
  textOf: (one: Ranked) => string,
): Promise<Ranked[]> {
  const first = ranked.slice(0, mostJudged)
  const said = await judgement?.answers(question, first.map(textOf))
  if (said === undefined) return [...ranked]
  const judged = first.map((one, place) => ({ ...one, answers: oddsOf(said[place] ?? 0) }))
  return [...judged, ...ranked.slice(mostJudged)]
}

/** The logarithm of the odds, not beyond what a small model can be sure of. */
function oddsOf(likely: number): number {
  const held = Math.min(Math.max(likely, 0.0025), 0.9975)
  return Math.log(held / (1 - held))
}

/**
 * Of those that were judged the likeliest first. The scores stay where they are, since others are compared with them.
 * @internal exported for training/gate.ts
 */
export function reordered(ranked: readonly Ranked[], { hit }: Pick<Calibration, "hit">): Ranked[] {
  const judged = ranked.filter(({ answers }) => answers !== undefined)
  const among = { best: ranked[0]?.score ?? 0, usual: 0 }
  const likely = new Map(judged.map((one) => [one, hitLikelihood({ hit }, one, among)]))
  const order = judged.toSorted((a, b) => (likely.get(b) ?? 0) - (likely.get(a) ?? 0))
  const placed = order.map((one, place) => ({ ...one, score: judged[place]?.score ?? one.score }))
  return [...placed, ...ranked.slice(judged.length)]
}
