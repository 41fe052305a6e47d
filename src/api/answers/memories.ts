import { isoTime } from "../../base/clock.ts"
import { labelOf } from "../../memory/model/agents/agents.ts"
import { confidenceAt } from "../../memory/model/decay.ts"
import type { Memory } from "../../memory/model/memory.ts"
import { presentMemory } from "../../memory/model/present-memory.ts"
import { findMemories } from "../../memory/model/store/store.ts"
import type { Fading } from "../../memory/write/change/fading.ts"
import type { Reader } from "../../storage/transaction.ts"
import type { FadingMemories, PairJson } from "../contract/memory-answers.ts"
import type { MayReplace, ShownMemory } from "../contract/shown-memory.ts"
import type { AppNeeds } from "../needs.ts"
import { nameProjects } from "./projects.ts"

/** A memory with its label. */
export function presentShown(memory: Memory): ShownMemory {
  const label = labelOf(memory)
  return { ...presentMemory(memory), ...(label === undefined ? {} : { label }) }
}

/** Fading memories as JSON. */
export function presentFading({ expired, faint, counts }: Fading, now: number): FadingMemories {
  const present = (memory: Memory) => ({
    ...presentShown(memory),
    confidenceNow: confidenceAt(memory, now),
  })
  return { expired: expired.map(present), faint: faint.map(present), counts }
}

/** Pairs of memories as JSON, with the names of their projects. */
export async function presentPairs<T extends { at: number; memories: readonly [Memory, Memory] }>(
  { db }: Pick<AppNeeds, "db">,
  pairs: readonly T[],
): Promise<(Omit<T, "at" | "memories"> & { at: string; memories: PairJson })[]> {
  const nameOf = await nameProjects(
    db,
    pairs.flatMap(({ memories }) => memories),
  )
  const named = (memory: Memory) => ({ ...presentShown(memory), projectName: nameOf(memory) })
  return pairs.map(({ at, memories: [first, second], ...pair }) => ({
    ...pair,
    at: isoTime(at),
    memories: [named(first), named(second)],
  }))
}

/** The memories that one may replace, as JSON; an empty object if there are none. */
export async function presentMayReplace(on: Reader, ids: readonly string[]): Promise<MayReplace> {
  if (ids.length === 0) return {}
  const found = await findMemories(on, [...ids])
  const olds = ids.flatMap((id) => found.get(id) ?? [])
  return {
    mayReplace: olds.map(presentShown).map(({ id, content, createdAt }) => ({ id, content, createdAt })),
  }
}
