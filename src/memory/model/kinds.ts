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
/** Quarantined: only supposed so far; nothing finds it before another session or a person bears it out. */
export const memoryStatuses = ["active", "superseded", "archived", "forgotten", "quarantined"] as const
/** The kinds of edges that people make between memories. */
export const personalKinds = ["relates-to", "supersedes", "contradicts", "derived-from"] as const
/** What is kept of two memories that contradict each other. */
export const keeps = ["this", "other", "both"] as const
/** What a person says of a memory that came up. */
export const ratings = ["helpful", "unhelpful"] as const
/** What an import may be given, or `auto` to look at the file. */
export const importFormats = ["auto", "reverie", "jsonl", "mcp", "mem0", "markdown"] as const

export type MemoryType = (typeof memoryTypes)[number]
export type MemoryScope = (typeof memoryScopes)[number]
export type MemorySource = (typeof memorySources)[number]
export type MemoryStatus = (typeof memoryStatuses)[number]
