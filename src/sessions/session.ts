import { readableTools } from "../config/settings/memory.ts"

/** The tools whose sessions are known; "reverie" are those of the library and of MCP clients that name no other. */
export const sessionTools = [...readableTools, "reverie"] as const

/** One of them, or the name that a program of the user's gave to its own sessions. */
export type SessionTool = string

/** Something is going on; open but quiet; over; over before it was done. */
export const sessionStatuses = ["active", "idle", "closed", "crashed"] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** Whether the agent is at work, waits for the user, or the tool itself says that the session is over. */
export type Phase = "working" | "waiting" | "closed" | "crashed"

/** One person's work with an agent, as it is kept. */
export interface Session {
  /** `<tool>:<native id>`. */
  id: string
  tool: SessionTool
  nativeId: string
  /** The project's id (see project.ts), where there is a folder. */
  project: string | null
  folder: string | null
  branch: string | null
  title: string | null
  startedAt: number
  /** When something last happened in it. */
  updatedAt: number
  status: SessionStatus
  statusAt: number
  /** The process it runs in, where the tool tells. */
  pid: number | null
  /** How many turns it has had; those that are still kept may be fewer. */
  turns: number
  /** How many of its turns were looked through for memories. */
  extractedTurns: number
  lastUserAt: number | null
}

/** How a session is called everywhere. */
export function sessionId(tool: SessionTool, nativeId: string): string {
  return `${tool}:${nativeId}`
}
