import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** One session as a test tells it: what was said in turn, by the person first unless it says otherwise. */
export interface ToldSession {
  tool: "claude-code" | "codex" | "gemini-cli" | "pi"
  /** Letters and digits. */
  id: string
  said: readonly { role: "user" | "assistant"; text: string }[]
  folder?: string
}

/** Writes sessions as their tools do, below the folder of `toolEnvironment`; all ended an hour ago. */
export function writeToldSessions(tools: string, sessions: readonly ToldSession[]): void {
  const then = Date.now() - 3_600_000
  for (const session of sessions) {
    const { file, lines } = writers[session.tool](session, new Date(then).toISOString())
    const path = join(tools, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
    utimesSync(path, then / 1000, then / 1000)
  }
}

type Writer = (session: ToldSession, timestamp: string) => { file: string; lines: object[] }

const writers: Record<ToldSession["tool"], Writer> = {
  "claude-code": ({ id, said, folder: cwd }, timestamp) => ({
    file: `claude/projects/-work/${id}.jsonl`,
    lines: said.map(({ role, text }, index) => ({
      type: role,
      uuid: `${id}-${index}`,
      timestamp,
      cwd,
      message: { role, content: [{ type: "text", text }] },
    })),
  }),
  codex: ({ id, said, folder: cwd }, timestamp) => ({
    file: `codex/sessions/2026/01/01/rollout-${id}.jsonl`,
    lines: [
      { timestamp, type: "session_meta", payload: { id, cwd } },
      ...said.map(({ role, text }) => ({
        timestamp,
        type: "response_item",
        payload: {
          type: "message",
          role,
          content: [{ type: role === "user" ? "input_text" : "output_text", text }],
        },
      })),
    ],
  }),
  "gemini-cli": ({ id, said }, timestamp) => ({
    file: `home/.gemini/tmp/proj/chats/session-${id}.jsonl`,
    lines: [
      { sessionId: id, startTime: timestamp, kind: "main" },
      ...said.map(({ role, text }, index) => ({
        id: `${id}-${index}`,
        timestamp,
        type: role === "user" ? "user" : "gemini",
        content: [{ text }],
      })),
    ],
  }),
  pi: ({ id, said, folder: cwd }, timestamp) => ({
    file: `pi/sessions/--work--/2026_${id}.jsonl`,
    lines: [
      { type: "session", id, timestamp, cwd },
      ...said.map(({ role, text }, index) => ({
        type: "message",
        id: `${id}-${index}`,
        timestamp,
        message: { role, content: [{ type: "text", text }] },
      })),
    ],
  }),
}
