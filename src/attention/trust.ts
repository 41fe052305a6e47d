/** What the ambient agent may do: only report; also change memories; also change code on branches. */
export const trustLevels = ["observe", "garden", "work"] as const

export type TrustLevel = (typeof trustLevels)[number]

/** How many approved cycles each level takes. */
interface Steps {
  garden: number
  work: number
}

/** The level that the user set, or else the one that the approved cycles earn. */
export function trustLevel(set: TrustLevel | null, approved: number, steps: Steps): TrustLevel {
  if (set !== null) return set
  if (approved >= steps.work) return "work"
  return approved >= steps.garden ? "garden" : "observe"
}
