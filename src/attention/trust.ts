/** What the ambient agent may do, from the least: look and tell; change memories; make changes on branches. */
export const trustLevels = ["observe", "garden", "work"] as const

export type TrustLevel = (typeof trustLevels)[number]

/** How many cycles that a person approved each step takes. */
interface Steps {
  garden: number
  work: number
}

/** How far it is trusted: what the person said, or else how many cycles they approved. */
export function trustLevel(said: TrustLevel | null, approved: number, steps: Steps): TrustLevel {
  if (said !== null) return said
  if (approved >= steps.work) return "work"
  return approved >= steps.garden ? "garden" : "observe"
}
