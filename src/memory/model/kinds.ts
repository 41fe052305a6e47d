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
/** How Reverie knows a memory, the most trusted first. */
export const memorySources = ["user-corrected", "user-stated", "observed", "extracted", "inferred"] as const
/** Quarantined: a guess that search does not find until another session or a person confirms it. */
export const memoryStatuses = ["active", "superseded", "archived", "forgotten", "quarantined"] as const
/** The kinds of edges that users make between memories. */
export const userEdgeKinds = ["relates-to", "supersedes", "contradicts", "derived-from"] as const
/** Which of two contradicting memories stays. */
export const conflictChoices = ["this", "other", "both"] as const
export const ratings = ["helpful", "unhelpful"] as const
/** The formats of an import; `auto` detects it from the file. */
export const importFormats = ["auto", "reverie", "jsonl", "mcp", "mem0", "markdown"] as const

export type MemoryType = (typeof memoryTypes)[number]
export type MemoryScope = (typeof memoryScopes)[number]
export type MemorySource = (typeof memorySources)[number]
export type MemoryStatus = (typeof memoryStatuses)[number]
