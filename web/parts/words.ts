import type { Answer } from "../../src/api/contract/answers.ts"
import { kindName } from "../../src/privacy/kind-names.ts"
import type { ShownMemoryType } from "./types.ts"

/** What each kind of memory is called on the page. */
export const typeWords: Record<ShownMemoryType, string> = {
  fact: "fact",
  preference: "preference",
  procedure: "procedure",
  correction: "correction",
  negative: "do not",
  entity: "entity",
  observation: "observation",
}

/** What somebody would have to be told about the order of characters: those that turn text around are spelled out. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** What stands in a text where a secret was taken out: the name of its detector. */
const takenOut = /\[([a-z0-9]+(?:-[a-z0-9]+)*) removed\]/g

/** Text of others as it is safe to show: what would hide or turn it is spelled out, and what was taken out has a name. */
export function plain(text: string): string {
  return text
    .replaceAll(takenOut, (_, kind: string) => `[${kindName(kind).replace(/^(?:an?|the) /, "")} removed]`)
    .replaceAll(
      turning,
      (sign) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
    )
}

/** "1 memory", "2 memories". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** "just now", "5 min ago", "in 2 h", "3 Mar". */
export function ago(at: string, now = Date.now()): string {
  const ms = now - Date.parse(at)
  const size = Math.abs(ms)
  if (size < minuteMs) return ms >= 0 ? "just now" : "in a moment"
  const span =
    size < hourMs
      ? `${Math.round(size / minuteMs)} min`
      : size < dayMs
        ? `${Math.round(size / hourMs)} h`
        : `${Math.round(size / dayMs)} d`
  if (size >= 30 * dayMs) return dayText(at)
  return ms >= 0 ? `${span} ago` : `in ${span}`
}

/** "3 Mar 2026". */
export function dayText(at: string): string {
  return new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })
}

/** The whole moment, for those who look closer. */
export function wholeTime(at: string): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" })
}

/** "3 min 4 s". */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`
}

/** "12.3k". */
export function short(number: number): string {
  return new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(number)
}

/** What agents and ways are called for people. */
const actors: Record<string, string> = {
  cli: "you, in a terminal",
  web: "you, here",
  tui: "you, in the TUI",
  api: "the API",
  mcp: "an agent",
  daemon: "Reverie",
  extraction: "a session",
  recall: "recall",
  test: "a test",
}

export function actorWord(actor: string): string {
  return actors[actor] ?? actor
}

const tools: Record<string, string> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  opencode: "OpenCode",
  "gemini-cli": "Gemini CLI",
  pi: "pi",
  jcode: "jcode",
  reverie: "Reverie",
}

export function toolWord(tool: string): string {
  return tools[tool] ?? tool
}

/** What models are asked for. */
export const sourceWords: Record<Answer<"usage">["rows"][number]["source"], string> = {
  user: "you",
  ambient: "tending",
  extraction: "reading sessions",
  judge: "recall",
  chat: "chat",
}

const outcomeWords: Record<string, string> = {
  reinforced: "Known already; made stronger.",
  unchanged: "Known already; nothing changed.",
  superseded: "Saved. It replaces an older memory.",
  conflict: "Saved. Another memory says otherwise: settle it under Conflicts.",
}

/** What came of a memory that was added or edited. */
export function savedWords(answer: { outcome: string; mayReplace?: { content: string }[] }): string {
  const [older] = answer.mayReplace ?? []
  if (older) return `Saved. It may replace “${shortened(older.content)}”: settle it under Conflicts.`
  return outcomeWords[answer.outcome] ?? "Saved."
}

const mostShown = 80

function shortened(text: string): string {
  const shown = plain(text)
  return shown.length > mostShown ? `${shown.slice(0, mostShown)}…` : shown
}
