import type { Answer, Item } from "../system.ts"

/** The items with the highest scores above a floor, the best first. */
export function topOf(
  items: readonly Item[],
  scores: ArrayLike<number>,
  limit: number,
  floor = 0,
): Answer["hits"] {
  return items
    .map(({ sourceId }, index) => ({ sourceId, score: scores[index] ?? 0 }))
    .filter(({ score }) => score > floor)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
}
