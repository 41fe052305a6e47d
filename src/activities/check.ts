import type { HookTool } from "../coding/hooks/dialect.ts"

/** One thing that was looked at. */
export interface Check {
  id: string
  /** How bad it is if it is not ok. */
  severity: "error" | "warning"
  ok: boolean
  message: string
  /** What to do about it; empty when nothing is wrong. */
  fixHint: string
  /** What `doctor --fix` does about it, where that needs no decision of the user's. */
  fix?: Fix
}

/** Something that can be mended by itself. */
export type Fix =
  | { kind: "private"; file: string }
  | { kind: "start" }
  | { kind: "restart" }
  | { kind: "connect"; tool: HookTool; project: string | null }
  | { kind: "retry"; place: string }

/** What is as it should be. */
export function good(id: string, message: string): Check {
  return { id, severity: "error", ok: true, message, fixHint: "" }
}

/** What is not, and what to do about it. */
export function bad(
  id: string,
  severity: Check["severity"],
  message: string,
  fixHint: string,
  fix?: Fix,
): Check {
  return { id, severity, ok: false, message, fixHint, ...(fix ? { fix } : {}) }
}
