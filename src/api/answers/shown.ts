import { labelOf } from "../../memory/model/agents/agents.ts"
import type { Memory } from "../../memory/model/memory.ts"
import { type PresentedMemory, presentMemory } from "../../memory/model/present-memory.ts"

/** A memory as people and agents are shown it. */
export type ShownMemory = PresentedMemory & {
  /** What is to be said beside it, such as that an agent noted it. */
  label?: string
}

/** A memory as it is shown. */
export function presentShown(memory: Memory): ShownMemory {
  return { ...presentMemory(memory), ...labelled(memory) }
}

/** The label of a memory, where it has one. */
function labelled(memory: Pick<Memory, "details">): { label?: string } {
  const label = labelOf(memory)
  return label === undefined ? {} : { label }
}
