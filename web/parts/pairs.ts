import type { Answer } from "../../src/api/contract/answers.ts"
import type { PairJson } from "../../src/api/contract/memory-answers.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

/** Two memories that somebody has to decide about. */
export interface Pair {
  kind: Answer<"conflicts">["conflicts"][number]["kind"] | "duplicate"
  memories: PairJson
}

/** Which of a pair stays: the first, the second, or both. */
export type Keep = "this" | "other" | "both"

/** What each kind of pair is called, and what is asked about it. */
export const pairWords: Record<Pair["kind"], { name: string; question: string }> = {
  contradicts: { name: "contradiction", question: "These two cannot both be true." },
  "may-replace": { name: "update", question: "The newer one may replace the older one." },
  duplicate: { name: "duplicate", question: "These two may say the same in other words." },
}

export function keyOf({ memories: [a, b] }: Pick<Pair, "memories">): string {
  return [a.id, b.id].toSorted().join(" ")
}

/** More pairs than anybody settles in one sitting. */
const mostPairs = 500

/** The pairs that nobody has decided about, or those of one memory; undefined until they are known. */
export function usePairs(memory?: string) {
  const query = {
    allProjects: "true",
    limit: mostPairs,
    ...(memory === undefined ? {} : { memory }),
  } as const
  const found = useData(
    `pairs ${memory ?? ""}`,
    async () => pairsIn(await client.conflicts(query), await client.duplicates(), memory),
    ["memory.", "edge.", "cycle.ended"],
  )
  return { pairs: found.data, error: found.error, reload: found.reload }
}

function pairsIn(
  { conflicts }: Answer<"conflicts">,
  { duplicates }: Answer<"duplicates">,
  memory: string | undefined,
): Pair[] {
  const open = new Set(conflicts.map(keyOf))
  const others = duplicates
    .map(({ memories }): Pair => ({ kind: "duplicate", memories }))
    .filter((pair) => !open.has(keyOf(pair)))
    .filter(({ memories }) => memory === undefined || memories.some(({ id }) => id === memory))
  return [...conflicts, ...others]
}

/** Settles a pair, so that it can be taken back; tells whether that worked. */
export function useSettling(): (pair: Pair, keep: Keep) => Promise<boolean> {
  const { act } = useActs()
  return (pair, keep) => act(() => settle(pair, keep), told(pair, keep))
}

function settle({ kind, memories: [first, second] }: Pair, keep: Keep) {
  const [id, other] = [first.id, second.id]
  if (kind !== "duplicate") return client.resolve({ id, other, keep })
  if (keep === "both") return client.link({ source: id, kind: "relates-to", target: other, weight: 1 })
  const [source, target] = keep === "this" ? [id, other] : [other, id]
  return client.link({ source, kind: "supersedes", target })
}

function told({ kind }: Pair, keep: Keep): string {
  if (keep === "both") return kind === "duplicate" ? "Both stay." : "Both hold."
  return keep === "this" ? "Kept the newer one." : "Kept the older one."
}
