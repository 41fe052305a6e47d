/** Text that our own program put before an agent, which must never be learned. */
const fenced = /<reverie-memory\b[^>]*>[\s\S]*?(?:<\/reverie-memory>|$)/gi

/** A text without what our own program put there. */
export function withoutOwnText(text: string): string {
  return text.replaceAll(fenced, " ")
}
