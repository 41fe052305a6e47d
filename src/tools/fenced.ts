import { shorten } from "../base/text/text.ts"
import { spellUnseen } from "../base/text/unseen.ts"
import { fence } from "../llm/fence.ts"

/** Text of others, so that it can be taken neither for ours nor for the person's own words. */
export function fenced(text: string, longest = 4000): string {
  return fence("data", shorten(text, longest), { beside: ["request"], inline: true })
}

/** The same with its lines as they are, for files, diffs and what commands wrote. */
export function fencedLines(text: string, longest: number): string {
  const isCut = text.length > longest
  const shown = spellUnseen(isCut ? text.slice(0, longest) : text)
  return `${fence("data", shown, { beside: ["request"] })}${isCut ? "\n(cut here)" : ""}`
}
