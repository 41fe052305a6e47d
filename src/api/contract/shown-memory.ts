import type { PresentedMemory } from "../../memory/model/present-memory.ts"

/** A memory as users and agents see it. */
export type ShownMemory = PresentedMemory & {
  /** A remark about it, such as that an agent noted it. */
  label?: string
}

/** The memories that a memory may replace, with their texts, so that the user can decide. */
export interface MayReplace {
  mayReplace?: Pick<ShownMemory, "id" | "content" | "createdAt">[]
}
