import type { HookTool } from "../coding/hooks/dialect.ts"

/** The result of one check. */
export interface Check {
  id: string
  /** How serious it is if `ok` is false. */
  severity: "error" | "warning"
  ok: boolean
  message: string
  /** What to do; empty if nothing is wrong. */
  fixHint: string
  /** What `doctor --fix` can do without asking the user. */
  fix?: Fix
}

export type Fix =
  | { kind: "private"; file: string }
  | { kind: "start" }
  | { kind: "restart" }
  | { kind: "connect"; tool: HookTool; project: string | null }
  | { kind: "retry"; place: string }

export function good(id: string, message: string): Check {
  return { id, severity: "error", ok: true, message, fixHint: "" }
}

export function failure(id: string, message: string, fixHint: string, fix?: Fix): Check {
  return { id, severity: "error", ok: false, message, fixHint, ...(fix ? { fix } : {}) }
}

export function warning(id: string, message: string, fixHint: string, fix?: Fix): Check {
  return { ...failure(id, message, fixHint, fix), severity: "warning" }
}
