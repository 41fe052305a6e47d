import { messageOf } from "../../../base/errors.ts"
import { type Judgement, judgementOf } from "../../../judgement/judgement.ts"
import type { Reader } from "../../../storage/transaction.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { textsOf } from "../pool.ts"
import { type Calibration, hitLikelihood } from "./calibration.ts"
import type { Ranked } from "./rank.ts"

/**
 * The trained model judges this many of the first hits.
 * @internal exported for training/gate.ts
 */
export const maxJudged = 5

/**
 * Reorders the first hits by the trained model's judgement whether they answer. Without a model, or if it fails, the order
 * stays.
 */
export async function rerankWithModel(
  { db, log, embedder }: Pick<MemoryCore, "log" | "embedder"> & { db: Reader },
  question: string,
  ranked: readonly Ranked[],
  calibration: Calibration,
): Promise<Ranked[]> {
  if (calibration.judged === undefined) return [...ranked]
  const seqs = ranked.slice(0, maxJudged).map(({ candidate }) => candidate.seq)
  const texts = await textsOf(db, seqs)
  try {
    const textOf = ({ candidate }: Ranked) => texts.get(candidate.seq) ?? ""
    return reorderJudged(
      await addJudgements(judgementOf(embedder), question, ranked, textOf),
      calibration.judged,
    )
  } catch (error) {
    log.warn("The trained model failed; the results are ranked without it", {
      reason: messageOf(error),
    })
    return [...ranked]
  }
}

/**
 * Adds the trained model's judgement to the first hits.
 * @internal exported for training/gate.ts
 */
export async function addJudgements(
  judgement: Judgement | undefined,
  question: string,
  ranked: readonly Ranked[],
  textOf: (one: Ranked) => string,
): Promise<Ranked[]> {
  const first = ranked.slice(0, maxJudged)
  const likelihoods = await judgement?.answers(question, first.map(textOf))
  if (likelihoods === undefined) return [...ranked]
  const judged = first.map((one, index) => ({ ...one, answers: logOdds(likelihoods[index] ?? 0) }))
  return [...judged, ...ranked.slice(maxJudged)]
}

/** The log-odds of a likelihood, limited to what a small model can be sure of. */
function logOdds(likelihood: number): number {
  const limited = Math.min(Math.max(likelihood, 0.0025), 0.9975)
  return Math.log(limited / (1 - limited))
}

/**
 * Sorts the judged hits by likelihood. The scores stay at their positions, since other hits are compared with them.
 * @internal exported for training/gate.ts
 */
export function reorderJudged(ranked: readonly Ranked[], { hit }: Pick<Calibration, "hit">): Ranked[] {
  const judged = ranked.filter(({ answers }) => answers !== undefined)
  const among = { best: ranked[0]?.score ?? 0, usual: 0 }
  const likely = new Map(judged.map((one) => [one, hitLikelihood({ hit }, one, among)]))
  const order = judged.toSorted((a, b) => (likely.get(b) ?? 0) - (likely.get(a) ?? 0))
  const placed = order.map((one, place) => ({ ...one, score: judged[place]?.score ?? one.score }))
  return [...placed, ...ranked.slice(judged.length)]
}
