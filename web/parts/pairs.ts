import type { Answer } from "../../src/api/contract/answers.ts"
import type { PairJson } from "../../src/api/contract/memory-answers.ts"
import { useActions } from "../state/actions.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

/** Two memories in an undecided conflict. */
export interface Pair {
  kind: Answer<"conflicts">["conflicts"][number]["kind"] | "duplicate"
  memories: PairJson
}

/** Which of a pair stays: the first, the second, or both. */
export type Keep = "this" | "other" | "both"

/** The name of each kind of pair, and the question about it. */
export const pairTexts: Record<Pair["kind"], { name: string; question: string }> = {
  contradicts: { name: "contradiction", question: "These two cannot both be true." },
  "may-replace": { name: "update", question: "The newer one may replace the older one." },
  duplicate: { name: "duplicate", question: "These two may say the same in other words." },
}

export function pairKey({ memories: [a, b] }: { memories: PairJson }): string {
  return [a.id, b.id].toSorted().join(" ")
}

const maxPairs = 500

/** The undecided pairs, of one memory if given. */
export function usePairs(memory?: string) {
  const query = {
    allProjects: "true",
    limit: maxPairs,
    ...(memory === undefined ? {} : { memory }),
  } as const
  return useData(
    `pairs ${memory ?? ""}`,
    async () => pairsIn(await client.conflicts(query), await client.duplicates(), memory),
    ["memory.", "edge.", "cycle.ended"],
  )
}

function pairsIn(
  { conflicts }: Answer<"conflicts">,
  { duplicates }: Answer<"duplicates">,
  memory: string | undefined,
): Pair[] {
  const open = new Set(conflicts.map(pairKey))
  const others = duplicates
    .map(({ memories }): Pair => ({ kind: "duplicate", memories }))
    .filter((pair) => !open.has(pairKey(pair)))
    .filter(({ memories }) => memory === undefined || memories.some(({ id }) => id === memory))
  return [...conflicts, ...others]
}

/** Resolves a pair by an operation that can be undone; returns false if it failed. */
export function useResolve(): (pair: Pair, keep: Keep) => Promise<boolean> {
  const { act } = useActions()
  return (pair, keep) => act(() => resolve(pair, keep), messageFor(pair, keep))
}

function resolve({ kind, memories: [first, second] }: Pair, keep: Keep) {
  const [id, other] = [first.id, second.id]
  if (kind !== "duplicate") return client.resolve({ id, other, keep })
  if (keep === "both") return client.link({ source: id, kind: "relates-to", target: other, weight: 1 })
  const [source, target] = keep === "this" ? [id, other] : [other, id]
  return client.link({ source, kind: "supersedes", target })
}

function messageFor({ kind }: Pair, keep: Keep): string {
  if (keep === "both") return kind === "duplicate" ? "Both stay." : "Both are true."
  return keep === "this" ? "Kept the newer one." : "Kept the older one."
}
