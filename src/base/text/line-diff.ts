import { structuredPatch } from "diff"

/** Texts that are more edits apart than this are shown as taken away and put there anew. */
const mostEdits = 600

/** What differs between two texts, line by line, as `diff -u` shows it; empty where nothing does. */
export function lineDiff(before: string, after: string): string[] {
  const options = { context: 3, maxEditLength: mostEdits }
  const patch = structuredPatch("", "", ended(before), ended(after), undefined, undefined, options)
  if (patch === undefined) {
    return [...linesOf(before).map((line) => `-${line}`), ...linesOf(after).map((line) => `+${line}`)]
  }
  return patch.hunks.flatMap(({ oldStart, lines }) => (oldStart > 1 ? ["…", ...lines] : lines))
}

/** A last line without its end is no difference worth showing. */
function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}
