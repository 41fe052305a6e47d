import { escapeInvisible } from "../base/text/invisible.ts"
import { shorten } from "../base/text/text.ts"
import { fence } from "../llm/fence.ts"

/** Third-party text on one line, in a fence. */
export function fenced(text: string, longest = 4000): string {
  return fence("data", shorten(text, longest), { alsoEscape: ["request"], inline: true })
}

/** The same with its line breaks, for files, diffs and command output. */
export function fencedLines(text: string, longest: number): string {
  const isCut = text.length > longest
  const shown = escapeInvisible(isCut ? text.slice(0, longest) : text)
  return `${fence("data", shown, { alsoEscape: ["request"] })}${isCut ? "\n(cut here)" : ""}`
}
