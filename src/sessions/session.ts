import { readableTools } from "../config/settings/memory.ts"

/** The tools whose sessions Reverie reads; "reverie" for the library and MCP clients without a name. */
export const sessionTools = [...readableTools, "reverie"] as const

/** One of `sessionTools`, or the name of the user's own program. */
export type SessionTool = string

/** Active: something happens; idle: open; closed: ended; crashed: ended before it was done. */
export const sessionStatuses = ["active", "idle", "closed", "crashed"] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** The last event: the agent works, it waits for the user, or the tool reports the end. */
export type Phase = "working" | "waiting" | "closed" | "crashed"

/** A stored session with an agent. */
export interface Session {
  /** `<tool>:<native id>`. */
  id: string
  tool: SessionTool
  nativeId: string
  /** The project's id (see project.ts), if it has a folder. */
  project: string | null
  folder: string | null
  branch: string | null
  title: string | null
  startedAt: number
  /** When something last happened in it. */
  updatedAt: number
  status: SessionStatus
  statusAt: number
  /** The process it runs in, if the tool reports it. */
  pid: number | null
  /** How many turns it has had; fewer may still be stored. */
  turns: number
  /** How many of its turns were read for memories. */
  extractedTurns: number
  lastUserAt: number | null
}

export function sessionId(tool: SessionTool, nativeId: string): string {
  return `${tool}:${nativeId}`
}
