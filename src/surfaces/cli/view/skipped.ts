import type { SkippedJson } from "../../../api/contract/session-answers.ts"
import { visible } from "../../../base/text/text.ts"

/** Which transcripts are not read, why, and how to have them read again: a line each. */
export function skippedLines(skipped: readonly SkippedJson[]): string[] {
  return skipped.map(({ place: location, reason }) =>
    visible(`${location} is not read (${reason}); \`reverie sessions retry '${location}'\` tries again`),
  )
}
