import { isoTime } from "../../base/clock.ts"
import { projectNames } from "../../memory/model/known-projects.ts"
import type { Memory } from "../../memory/model/memory.ts"
import type { PairJson } from "../contract/memory-answers.ts"
import type { AppNeeds } from "../needs.ts"
import { presentShown } from "./shown.ts"

/** Pairs of memories as they travel, with their projects' names. */
export async function presentPairs<T extends { at: number; memories: readonly [Memory, Memory] }>(
  { db }: Pick<AppNeeds, "db">,
  pairs: readonly T[],
): Promise<(Omit<T, "at" | "memories"> & { at: string; memories: PairJson })[]> {
  const projects = pairs.flatMap(({ memories }) => memories.flatMap(({ project }) => project ?? []))
  const names = await projectNames(db, [...new Set(projects)])
  const named = (memory: Memory) => ({
    ...presentShown(memory),
    projectName: names.get(memory.project ?? "") ?? null,
  })
  return pairs.map(({ at, memories: [first, second], ...pair }) => ({
    ...pair,
    at: isoTime(at),
    memories: [named(first), named(second)],
  }))
}
