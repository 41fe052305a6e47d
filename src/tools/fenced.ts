import { shorten } from "../base/text/text.ts"
import { fence } from "../llm/fence.ts"

/** Text of others, so that it cannot be taken for ours. */
export function fenced(text: string, longest = 4000): string {
  return fence("data", shorten(text, longest), { inline: true })
}
