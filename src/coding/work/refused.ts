/** A refusal with its reason. */
export interface Refused {
  outcome: "refused"
  reason: string
}

export function refused(reason: string): Refused {
  return { outcome: "refused", reason }
}
