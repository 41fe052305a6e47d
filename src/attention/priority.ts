/** The most urgent first. */
const priorities = ["immediate", "high", "normal", "low"] as const
export type Priority = (typeof priorities)[number]

/** As stored: smaller is more urgent. */
export function rankOf(priority: Priority): number {
  return priorities.indexOf(priority)
}

export function priorityOf(rank: number): Priority {
  return priorities[rank] ?? "low"
}
