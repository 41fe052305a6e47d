import type { SkippedJson } from "../../../api/contract/session-answers.ts"
import { escapeControls } from "../../../base/text/text.ts"

/** One line for each skipped transcript, with the reason and how to retry. */
export function skippedLines(skipped: readonly SkippedJson[]): string[] {
  return skipped.map(({ place: location, reason }) =>
    escapeControls(
      `${location} is not read (${reason}); \`reverie sessions retry '${location}'\` tries again`,
    ),
  )
}
