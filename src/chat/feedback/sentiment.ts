/** Reactions that say no in every language; everything else that people take the trouble to click is interest. */
const against: ReadonlySet<string> = new Set([
  ...["👎", "😠", "😡", "🤬", "🤮", "🤢", "💩", "🙄", "😒", "🖕", "❌", "🚫", "⛔", "🛑", "🥱", "😴", "🤡"],
])

/** Whether a reaction is for a post (1) or against it (-1). */
export function sentimentOf(emoji: string): 1 | -1 {
  const plain = emoji.replaceAll(/[\u{1F3FB}-\u{1F3FF}\uFE0F]/gu, "")
  return against.has(plain) || /^:(?:thumbs_?down|downvote|-1|no):$/i.test(plain) ? -1 : 1
}
