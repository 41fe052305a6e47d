import type { RecallSession, SessionEvent, StartMode } from "../../recall/types.ts"

/** The tools whose hooks Reverie answers. */
export const hookTools = ["claude-code", "codex", "gemini-cli", "opencode"] as const
export type HookTool = (typeof hookTools)[number]

/** A hook's input in a common form. */
export type HookMessage =
  | { kind: "started"; session: RecallSession; how: StartMode }
  | { kind: "happened"; session: RecallSession; happening: SessionEvent }
  | { kind: "ended"; session: RecallSession }

/** How to read and answer the hooks of one tool. */
export interface HookDialect {
  /** The events that we use, as the tool names them. */
  events: readonly string[]
  /** Reads a hook's input; undefined if it is of no use. */
  read(event: string, input: unknown): HookMessage | undefined
  /** What the hook must print so that the agent sees the text; undefined if the event accepts none. */
  answer(event: string, text: string): object | undefined
}

/** The session of a hook call, with Reverie's own id. */
export function sessionOf(tool: HookTool, nativeId: string, folder: string | undefined): RecallSession {
  return { id: `${tool}:${nativeId}`, tool, project: folder }
}

/** Far more than recall uses of a text. */
const mostCharacters = 40_000

/** The beginning and the end of a long text, where questions and errors usually are. */
export function bounded(text: string): string {
  if (text.length <= mostCharacters) return text
  const half = mostCharacters / 2
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`
}
