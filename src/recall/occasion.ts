import { extname } from "node:path"
import { tokensIn } from "../base/text/count-tokens.ts"
import type { Happening } from "./types.ts"

/** What an agent has done. */
type Done = Extract<Happening, { kind: "output" | "tool" }>

/** Why memory is looked at now. */
export type Occasion = "prompt" | "length" | "files" | "design" | "failure"

/** What an agent did since memory was last looked at for it. */
export interface Unread {
  text: string
  tokens: number
  /** The kind of file it worked on last, such as ".sql"; empty at first. */
  fileKind: string
}

/** Nothing yet. */
export const nothingUnread: Unread = { text: "", tokens: 0, fileKind: "" }

/** Of what is new only the end is kept: that is where the work is now. */
const longestUnread = 6000
/** Signs that are weaker than an error are no reason to look again before so many tokens. */
const restTokens = 150

const designWords =
  /\b(?:architect(?:ure|ural)?|design(?:ing)? (?:decision|choice|question|option)|trade-?offs?|approach(?:es)?\b.{0,80}\b(?:or|versus|vs|instead|alternativ)|alternatives?:|pros and cons|we (?:could|should) either|option [12ab]\b|options are|should (?:we|i) (?:use|go|pick|choose|keep|split|move|store))/i

/** Adds what happened to what is unread, and tells whether it is an occasion to look. */
export function noteWork(
  unread: Unread,
  happening: Done,
  lookAgainTokens: number,
): { unread: Unread; occasion: Occasion | undefined } {
  const { text, files = [] } = happening
  const fileKind = kindOf(files) ?? unread.fileKind
  // What a tool printed is not the agent's own words: of it only the files count.
  const said = happening.kind === "output" ? text : files.join(" ")
  const next: Unread = {
    text: `${unread.text}\n${said}`.slice(-longestUnread),
    tokens: unread.tokens + (happening.kind === "output" ? tokensIn(text) : 0),
    fileKind,
  }
  return { unread: next, occasion: occasionOf(unread, next, happening, lookAgainTokens) }
}

function occasionOf(
  before: Unread,
  after: Unread,
  happening: Done,
  lookAgainTokens: number,
): Occasion | undefined {
  if (lookAgainTokens === 0) return undefined
  if (happening.kind === "tool" && happening.isError) return "failure"
  if (before.fileKind !== "" && after.fileKind !== before.fileKind) return "files"
  if (after.tokens >= lookAgainTokens) return "length"
  const isRested = after.tokens >= Math.min(restTokens, lookAgainTokens)
  return happening.kind === "output" && isRested && designWords.test(happening.text) ? "design" : undefined
}

/** The kind of the files that something is about: their commonest ending. */
function kindOf(files: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const file of files) {
    const kind = extname(file).toLowerCase()
    if (kind !== "") counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a)
  return first?.[0]
}
