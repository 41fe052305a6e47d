import type { Answer } from "../../src/api/contract/answers.ts"
import { kindName } from "../../src/privacy/kind-names.ts"

/** A memory as the API returns it. */
export type MemoryJson = Answer<"list">["memories"][number]
export type MemoryType = MemoryJson["type"]

/** The displayed name of each type of memory. */
export const typeNames: Record<MemoryType, string> = {
  fact: "fact",
  preference: "preference",
  procedure: "procedure",
  correction: "correction",
  negative: "do not",
  entity: "entity",
  observation: "observation",
}

/** Characters that change the text direction and could disguise a text. */
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Marks removed secrets in a text, with the name of the detector. */
const removedMark = /\[([a-z0-9]+(?:-[a-z0-9]+)*) removed\]/g

/** Untrusted text that is safe to show: bidi controls are spelled out, and removed secrets are named. */
export function safeText(text: string): string {
  return text
    .replaceAll(removedMark, (_, kind: string) => `[${kindName(kind).replace(/^(?:an?|the) /, "")} removed]`)
    .replaceAll(
      bidiControls,
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

/** "3 Mar 2026, 14:05:09". */
export function fullTime(at: string): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" })
}

/** "3 min 4 s". */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`
}

/** "$1.20", or "–" for nothing. */
export function dollars(usd: number): string {
  return usd === 0 ? "–" : `$${usd.toFixed(2)}`
}

/** "12.3k". */
export function compact(number: number): string {
  return new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(number)
}

/** The displayed names of actors. */
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

export function actorName(actor: string): string {
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

export function toolName(tool: string): string {
  return tools[tool] ?? tool
}

/** The displayed names of the purposes of model calls. */
export const sourceNames: Record<Answer<"usage">["rows"][number]["source"], string> = {
  user: "you",
  ambient: "tending",
  extraction: "reading sessions",
  judge: "recall",
  chat: "chat",
}

const outcomeMessages: Record<string, string> = {
  reinforced: "Already known; it counts as confirmed again.",
  unchanged: "Already known; nothing changed.",
  superseded: "Saved. It replaces an older memory.",
  conflict: "Saved. Another memory contradicts it: decide under Conflicts.",
}

/** The message after a memory was added or edited. */
export function savedMessage(answer: { outcome: string; mayReplace?: { content: string }[] }): string {
  const [older] = answer.mayReplace ?? []
  if (older) return `Saved. It may replace “${shortened(older.content)}”: decide under Conflicts.`
  return outcomeMessages[answer.outcome] ?? "Saved."
}

const maxShown = 80

function shortened(text: string): string {
  const shown = safeText(text)
  return shown.length > maxShown ? `${shown.slice(0, maxShown)}…` : shown
}

/** A safe text of at most that many characters, cut between words and marked as cut. */
export function shortText(text: string, longest: number): string {
  const safe = safeText(text)
  if (safe.length <= longest) return safe
  const cut = safe.slice(0, longest)
  const lastSpace = cut.lastIndexOf(" ")
  return `${lastSpace > longest / 2 ? cut.slice(0, lastSpace) : cut}…`
}
