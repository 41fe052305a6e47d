import { extname } from "node:path"
import { estimateTokens } from "../base/text/count-tokens.ts"
import type { SessionEvent } from "./types.ts"

type AgentWork = Extract<SessionEvent, { kind: "output" | "tool" }>

/** Why recall searches while an agent works. */
export type WorkOccasion = "length" | "files" | "design" | "failure"

/** What an agent did since the last search. */
export interface RecentActivity {
  text: string
  tokens: number
  /** The kind of file it worked on last, such as ".sql"; empty at first. */
  fileKind: string
}

export const noActivity: RecentActivity = { text: "", tokens: 0, fileKind: "" }

/** In characters; only the end of a longer text is used. */
const longestUnread = 6000
/** Design words cause a search only after this many tokens. */
const restTokens = 150

const designWords =
  /\b(?:architect(?:ure|ural)?|design(?:ing)? (?:decision|choice|question|option)|trade-?offs?|approach(?:es)?\b.{0,80}\b(?:or|versus|vs|instead|alternativ)|alternatives?:|pros and cons|we (?:could|should) either|option [12ab]\b|options are|should (?:we|i) (?:use|go|pick|choose|keep|split|move|store))/i

/** Adds an event to the activity, and says whether it is an occasion to search. */
export function addActivity(
  before: RecentActivity,
  work: AgentWork,
  searchAgainTokens: number,
): { activity: RecentActivity; occasion: WorkOccasion | undefined } {
  const { text, files = [] } = work
  const fileKind = kindOf(files) ?? before.fileKind
  // A tool's output is not the agent's own text: only its files count.
  const added = work.kind === "output" ? text : files.join(" ")
  const activity: RecentActivity = {
    text: `${before.text}\n${added}`.slice(-longestUnread),
    tokens: before.tokens + (work.kind === "output" ? estimateTokens(text) : 0),
    fileKind,
  }
  return { activity, occasion: occasionOf(before, activity, work, searchAgainTokens) }
}

function occasionOf(
  before: RecentActivity,
  after: RecentActivity,
  work: AgentWork,
  searchAgainTokens: number,
): WorkOccasion | undefined {
  if (searchAgainTokens === 0) return undefined
  if (work.kind === "tool" && work.isError) return "failure"
  if (before.fileKind !== "" && after.fileKind !== before.fileKind) return "files"
  if (after.tokens >= searchAgainTokens) return "length"
  const isRested = after.tokens >= Math.min(restTokens, searchAgainTokens)
  return work.kind === "output" && isRested && designWords.test(work.text) ? "design" : undefined
}

/** The most frequent extension of some files. */
function kindOf(files: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const file of files) {
    const kind = extname(file).toLowerCase()
    if (kind !== "") counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a)
  return first?.[0]
}
