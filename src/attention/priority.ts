/** How much something matters, the most pressing first. */
const priorities = ["immediate", "high", "normal", "low"] as const
export type Priority = (typeof priorities)[number]

/** As it is stored: the smaller the more pressing. */
export function rankOf(priority: Priority): number {
  return priorities.indexOf(priority)
}

/** The priority of a stored rank. */
export function priorityOf(rank: number): Priority {
  return priorities[rank] ?? "low"
}
