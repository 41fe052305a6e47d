import type { ChatMessage } from "../channels/channel.ts"

/** How a message addresses us; null if it does not. */
export type Address = "private" | "mention" | "reply" | "name" | null

/** How a message addresses us. Messages of bots and of ourselves address nobody. */
export function addressOf(message: ChatMessage, names: readonly string[]): Address {
  if (message.isOurs || message.author.isBot) return null
  if (message.isPrivate) return "private"
  if (message.replyTo?.isOurs) return "reply"
  if (message.mentionsUs) return "mention"
  return splitAddress(message.text, names) === null ? null : "name"
}

/** The rest of a text that begins or ends with one of our names; null if it does not. */
export function splitAddress(text: string, names: readonly string[]): string | null {
  const folded = fold(text)
  for (const name of names.map(fold)) {
    if (name === "") continue
    const rest = withoutFirst(folded, name) ?? withoutLast(folded, name)
    if (rest !== null) return rest
  }
  return null
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim()
}

const before = /^[\s@"'“„«(*_~`¡¿]*/u
// biome-ignore lint/suspicious/noMisleadingCharacterClass: each of these stands for itself
const behind = /[\s"'”“»)*_~`.,!?…。，、！？:;；：\p{Extended_Pictographic}\uFE0F]*$/u

/** At most this many characters around a name count as punctuation. */
const longestTail = 100

function withoutFirst(text: string, name: string): string | null {
  const start = before.exec(text)?.[0].length ?? 0
  if (!text.startsWith(name, start)) return null
  const end = start + name.length
  // A name with a suffix is part of another word: a path, a possessive, a compound.
  if (/^(?:[-_./\\'’@=+#]|['’]s\b)[\p{L}\p{N}]/u.test(text.slice(end))) return null
  if (!isBoundary(text, end)) return null
  return text
    .slice(end)
    .replace(/^[\s,:;.!?、，。：；！？…\p{Pd}*_~`"'”)]+/u, "")
    .trim()
}

function withoutLast(text: string, name: string): string | null {
  // Only the end is matched: a pattern that tries every start is slow for a long message.
  const tail = text.slice(-longestTail)
  const end = text.length - (behind.exec(tail)?.[0].length ?? 0)
  const start = end - name.length
  if (start < 0 || !text.startsWith(name, start)) return null
  if (/[-_./\\'’=+#:&$%]$/u.test(text.slice(0, start))) return null
  if (/[\p{L}\p{N}]@$/u.test(text.slice(0, start)) || !isBoundary(text, start)) return null
  const kept = text.slice(0, Math.max(0, start - longestTail))
  const rest = text.slice(kept.length, start).replace(/[\s,、，@"'“„«(*_~`\p{Pd}]+$/u, "")
  return `${kept}${rest}`.trim()
}

/** Created at first use: it takes 9 ms, and most commands do not need it. */
let segmenter: Intl.Segmenter | undefined
/** The longest word, in characters, that is checked on either side of a position. */
const longestWord = 48

/** Whether a word ends or begins here, in scripts with and without spaces. */
function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  if (/\s/u.test(text[at - 1] ?? "") || /[\s,:;!?]/u.test(text[at] ?? "")) return true
  const from = Math.max(0, at - longestWord)
  const part = text.slice(from, at + longestWord)
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" })
  const here = segmenter.segment(part).containing(at - from)
  return here === undefined || here.index === at - from
}
