import { structuredPatch } from "diff"

/** Texts with more edits than this are shown as removed and added in full. */
const mostEdits = 600

/** The differing lines of two texts in the format of `diff -u`; empty if they are equal. */
export function lineDiff(before: string, after: string): string[] {
  const options = { context: 3, maxEditLength: mostEdits }
  const patch = structuredPatch("", "", ended(before), ended(after), undefined, undefined, options)
  if (patch === undefined) {
    return [...linesOf(before).map((line) => `-${line}`), ...linesOf(after).map((line) => `+${line}`)]
  }
  return patch.hunks.flatMap(({ oldStart, lines }) => (oldStart > 1 ? ["…", ...lines] : lines))
}

/** Ends the text with a line break, because a missing one is not shown as a difference. */
function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}
