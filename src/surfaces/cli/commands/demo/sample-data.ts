import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import sample from "../../../../../assets/demo/demo.json" with { type: "json" }
import { isoTime } from "../../../../base/clock.ts"

/** The folders of the sample data. */
export interface DemoFolders {
  /** REVERIE_HOME of the demo. */
  home: string
  /** The session files of the two coding agents. */
  tools: string
  project: string
}

/** How many memories the rules extract from the sample sessions. */
export const expectedMemories = 3

/** Writes the demo's configuration and notes, and a session of each coding agent. */
export function writeSampleData({ home, tools, project }: DemoFolders, now: number): void {
  for (const folder of [home, project]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  write(join(home, "config.toml"), "[api]\nport = 0\n")
  write(join(project, "old-notes.md"), "# Release\n\n- We deploy on Fridays\n")
  writeClaude(join(tools, "claude"), project, now - 7_200_000)
  writeCodex(join(tools, "codex"), project, now - 3_600_000)
}

function writeClaude(folder: string, cwd: string, from: number): void {
  const sessionId = "d3e0f1a2-0000-4000-8000-000000000001"
  const lines = sample.sessions.claude.map(({ role, text }, index) => ({
    type: role,
    timestamp: isoTime(from + index * 20_000),
    sessionId,
    cwd,
    message: { role, content: text },
    uuid: `demo-${index}`,
  }))
  write(join(folder, "projects/-demo-shop", `${sessionId}.jsonl`), linesOf(lines))
}

function writeCodex(folder: string, cwd: string, from: number): void {
  const id = "01a1dddc-0000-70d0-994b-000000000002"
  const meta = { id, session_id: id, timestamp: isoTime(from), cwd, originator: "codex_cli", source: "cli" }
  const lines = [
    { timestamp: isoTime(from), type: "session_meta", payload: meta },
    ...sample.sessions.codex.map(({ role, text }, index) => ({
      timestamp: isoTime(from + (index + 1) * 20_000),
      type: "response_item",
      payload: {
        type: "message",
        role,
        content: [{ type: role === "user" ? "input_text" : "output_text", text }],
      },
    })),
  ]
  const day = isoTime(from).slice(0, 10).replaceAll("-", "/")
  const stamp = isoTime(from).slice(0, 19).replaceAll(":", "-")
  write(join(folder, "sessions", day, `rollout-${stamp}-${id}.jsonl`), linesOf(lines))
}

function linesOf(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("")
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, text, { mode: 0o600 })
}
