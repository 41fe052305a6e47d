import { messageOf } from "../../src/base/errors.ts"
import type { Figure } from "../shared/figures.ts"
import type { System } from "./system.ts"

/** One measured value of one system. */
export interface Score {
  value: number
  unit: string
  better: Figure["better"]
  /** Whether it says something by itself, so that it can be set beside another system's. */
  comparable: boolean
  /** A point of a curve: of the peers only the best is told, beside ours. */
  detail?: boolean
  /** From how many rows it was measured, and between which values it lies in 95 of 100 cases. */
  rows?: number
  interval?: [low: number, high: number]
}

/** Scores by the figure's id. */
export type Scores = ReadonlyMap<string, Score>

/** A share of something good. */
export function share(value: number): Score {
  return { value, unit: "share", better: "higher", comparable: true }
}

/** The systems of one run: ours, ours without one part each, and the peers. */
export interface Contest {
  ours: System
  ablated: ReadonlyMap<string, System>
  peers: readonly System[]
  /** Stands before every figure's id. */
  prefix: string
  say(text: string): void
}

/** Scores every system and sets ours beside the best peer, and our parts beside the whole. */
export async function compare(
  contest: Contest,
  score: (system: System) => Promise<Scores>,
): Promise<Figure[]> {
  const { ours, ablated, peers, say } = contest
  const scoreAloud = async (system: System) => {
    const scores = await score(system)
    say(`${system.name}: ${summaryOf(scores)}`)
    return scores
  }
  const own = await scoreAloud(ours)
  const others = new Map<string, Scores>()
  for (const peer of peers) {
    try {
      others.set(peer.name, await scoreAloud(peer))
    } catch (error) {
      say(`left out: ${peer.name}, which failed (${messageOf(error)})`)
    }
  }
  const lesser = new Map<string, Scores>()
  for (const [part, system] of ablated) lesser.set(part, await scoreAloud(system))
  return [
    ...ownFigures(own, others),
    ...[...others].flatMap(([name, scores]) => plainFigures(scores, `peer.${name}.`)),
    ...[...lesser].flatMap(([part, scores]) => ablationFigures(scores, own, part)),
  ].map((figure) => ({ ...figure, id: `${contest.prefix}${figure.id}` }))
}

/** So that whoever interrupts a long run has seen what there was. */
function summaryOf(scores: Scores): string {
  const told = [...scores].filter(([, { detail }]) => detail !== true)
  return told.map(([id, { value }]) => `${id} ${value.toFixed(3)}`).join(", ")
}

function ownFigures(own: Scores, others: ReadonlyMap<string, Scores>): Figure[] {
  return [...own].map(([id, score]) => {
    const best = score.comparable ? bestOf(id, others) : undefined
    return { ...figureOf(id, score), ...(best ? { baseline: best } : {}) }
  })
}

function bestOf(id: string, others: ReadonlyMap<string, Scores>): Figure["baseline"] {
  const [best] = [...others]
    .flatMap(([name, scores]) => {
      const score = scores.get(id)
      return score ? [{ name, value: score.value, sign: score.better === "higher" ? 1 : -1 }] : []
    })
    .toSorted((one, other) => (other.value - one.value) * one.sign)
  return best && { name: best.name, value: best.value }
}

function ablationFigures(scores: Scores, whole: Scores, part: string): Figure[] {
  return [...scores].map(([id, score]) => {
    const { value } = whole.get(id) ?? score
    return { ...figureOf(`without.${part}.${id}`, score), baseline: { name: "reverie, whole", value } }
  })
}

function plainFigures(scores: Scores, prefix: string): Figure[] {
  return [...scores]
    .filter(([, { detail }]) => detail !== true)
    .map(([id, score]) => figureOf(`${prefix}${id}`, score))
}

function figureOf(id: string, { value, unit, better, rows, interval }: Score): Figure {
  return {
    id,
    value,
    unit,
    better,
    ...(rows === undefined ? {} : { rows }),
    ...(interval ? { interval } : {}),
  }
}
