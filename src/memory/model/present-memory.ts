import { isoTime } from "../../base/clock.ts"
import { stripInvisibleDeep } from "../../base/text/invisible.ts"
import type { Memory, MemoryDetails } from "./memory.ts"

/** A memory as the export and the API write it: with times as ISO text. */
export function presentMemory(memory: Memory) {
  const when = (ms: number | null) => (ms === null ? null : isoTime(ms))
  return stripInvisibleDeep({
    ...memory,
    createdAt: isoTime(memory.createdAt),
    updatedAt: isoTime(memory.updatedAt),
    accessedAt: when(memory.accessedAt),
    verifiedAt: when(memory.verifiedAt),
    details: presentDetails(memory.details),
  })
}

function presentDetails({ reinforcements, outdated, ...details }: MemoryDetails) {
  return {
    ...details,
    ...(outdated && { outdated: { at: isoTime(outdated.at), notes: outdated.notes } }),
    ...(reinforcements && {
      reinforcements: reinforcements.map(({ at, ...where }) => ({ at: isoTime(at), ...where })),
    }),
  }
}

export type PresentedMemory = ReturnType<typeof presentMemory>
