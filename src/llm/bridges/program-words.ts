import { shorten } from "../../base/text/text.ts"

const longest = 300

/** Anything that looks like a key or token: a known beginning, or a long run of letters and digits mixed. */
const keys =
  /\b(?:sk|rt|pk|sess|key|eyJ)[-_][\w.~+/=-]{6,}|\beyJ[\w.-]{10,}|\bBearer\s+\S+|(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{28,}/gi

/** What a program or its provider said, short, on one line and without keys, to be quoted in a sentence of ours. */
export function quotable(text: string): string {
  return shorten(text.replaceAll(keys, "***"), longest).replace(/[.\s]+$/, "")
}
