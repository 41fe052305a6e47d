/** Negative reactions; every other reaction counts as interest. */
const negative: ReadonlySet<string> = new Set("👎 😠 😡 🤬 🤮 🤢 💩 🙄 😒 🖕 ❌ 🚫 ⛔ 🛑 🥱 😴 🤡".split(" "))

/** Whether a reaction is positive (1) or negative (-1). */
export function sentimentOf(emoji: string): 1 | -1 {
  const plain = emoji.replaceAll(/[\u{1F3FB}-\u{1F3FF}\uFE0F]/gu, "")
  return negative.has(plain) || /^:(?:thumbs_?down|downvote|-1|no):$/i.test(plain) ? -1 : 1
}
