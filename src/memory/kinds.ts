export const memoryTypes = [
  "fact",
  "preference",
  "procedure",
  "correction",
  "negative",
  "entity",
  "observation",
] as const
export const memoryScopes = ["global", "project", "session"] as const
/** Where it is known from; the first weighs most. */
export const memorySources = ["user-corrected", "user-stated", "observed", "extracted", "inferred"] as const
export const memoryStatuses = ["active", "superseded", "archived", "forgotten"] as const

export type MemoryType = (typeof memoryTypes)[number]
export type MemoryScope = (typeof memoryScopes)[number]
export type MemorySource = (typeof memorySources)[number]
export type MemoryStatus = (typeof memoryStatuses)[number]
