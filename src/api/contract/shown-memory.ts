import type { PresentedMemory } from "../../memory/model/present-memory.ts"

/** A memory as people and agents are shown it. */
export type ShownMemory = PresentedMemory & {
  /** What is to be said beside it, such as that an agent noted it. */
  label?: string
}

/** What a memory may replace, told with its text, for somebody has to decide. */
export interface MayReplace {
  mayReplace?: Pick<ShownMemory, "id" | "content" | "createdAt">[]
}
