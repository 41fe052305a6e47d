import { shorten } from "../base/text/text.ts"
import { fence } from "../llm/fence.ts"

/** Text of others, so that it can be taken neither for ours nor for the person's own words. */
export function fenced(text: string, longest = 4000): string {
  return fence("data", shorten(text, longest), { beside: ["request"], inline: true })
}
