import { shorten } from "../base/text/text.ts"
import { fence } from "../llm/fence.ts"

/** Text of others, so that it cannot be taken for ours. */
export function fenced(text: string, longest = 4000): string {
  return fence("data", shorten(text, longest), { inline: true })
}

/** The same with its lines as they are, for files, diffs and what commands wrote. */
export function fencedLines(text: string, longest: number): string {
  const isCut = text.length > longest
  return `${fence("data", isCut ? text.slice(0, longest) : text)}${isCut ? "\n(cut here)" : ""}`
}
