/** One thing that was looked at. */
export interface Check {
  id: string
  /** How bad it is if it is not ok. */
  severity: "error" | "warning"
  ok: boolean
  message: string
  /** What to do about it; empty when nothing is wrong. */
  fixHint: string
}

/** What is as it should be. */
export function good(id: string, message: string): Check {
  return { id, severity: "error", ok: true, message, fixHint: "" }
}

/** What is not, and what to do about it. */
export function bad(id: string, severity: Check["severity"], message: string, fixHint: string): Check {
  return { id, severity, ok: false, message, fixHint }
}
