import { toolNames } from "../../../language/words/word-lists.ts"

/** Words for a temporary state. */
export const passing =
  /\b(?:green|red|flaky|broken|slow|fast|missing|down|up|open|closed|blank|empty|undefined|null|outdated|failing|fails?|failed|crash(?:es|ed|ing)?|fine|wrong|weird|ready|done|gone|stuck|full|dead|busy|already|in use|not working|working now|works|line \d+|number \d+|too|out of|off|slower|faster|running out|available|unavailable|offline|online)\b/i

/** Whether a text contains a number, version, path, address, code or name. */
export function isExact(text: string): boolean {
  return (
    /`[^`]+`|https?:\/\/|\d|(?:^|\s)[\w.@-]*\/[\w./@*-]+|\b[\w-]+\.(?:[a-z]{2,4}|json|yaml|toml)\b|\b[a-z]+_[a-z_]+\b|@\w/.test(
      text,
    ) || hasName(text)
  )
}

/** Whether a word after the first is a capitalised name or a tool. */
export function hasName(text: string): boolean {
  const [, ...rest] = text.split(/\s+/)
  return rest.some((word) => isName(word))
}

/** Whether a word is capitalised, or one of the tools that people write in lower case. */
export function isName(word: string): boolean {
  const bare = word.replaceAll(/^[("'`]+|[)"'`,.;:!?]+$/g, "")
  if (/^(?:I|I'm|I'd|I'll|I've)$/.test(bare)) return false
  return (
    /^[A-Z][A-Za-z0-9.+#-]*$/.test(bare) ||
    /[a-z][A-Z]|[A-Z]{2}/.test(bare) ||
    toolNames.has(bare.toLowerCase())
  )
}
