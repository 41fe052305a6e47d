import type { Happening, RecallSession, StartedHow } from "../../recall/types.ts"

/** The tools whose hooks we answer. */
export const hookTools = ["claude-code", "codex", "gemini-cli", "opencode"] as const
export type HookTool = (typeof hookTools)[number]

/** What a tool told its hook, in our words. */
export type Told =
  | { kind: "started"; session: RecallSession; how: StartedHow }
  | { kind: "happened"; session: RecallSession; happening: Happening }
  | { kind: "ended"; session: RecallSession }

/** How one tool speaks with its hooks. */
export interface HookDialect {
  /** The events we want to hear of, as the tool names them. */
  events: readonly string[]
  /** What was told; undefined where there is nothing in it for us. */
  read(event: string, input: unknown): Told | undefined
  /** What the hook has to print so that the agent sees the text; undefined where the event takes none. */
  answer(event: string, text: string): object | undefined
}

/** The session a tool speaks of, as the whole product names it. */
export function sessionOf(tool: HookTool, nativeId: string, folder: string | undefined): RecallSession {
  return { id: `${tool}:${nativeId}`, tool, project: folder }
}

/** Far more than recall looks at; the rest of a file dump need not be carried along. */
const mostCharacters = 40_000

/** The beginning and the end of a long text: what is asked and what went wrong stand there. */
export function bounded(text: string): string {
  if (text.length <= mostCharacters) return text
  const half = mostCharacters / 2
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`
}
