/** Invisible characters. They can hide text from people that models still read, or change its visible order. */
const invisible = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu
const anyInvisible = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u

/**
 * Removes zero-width, tag and bidi control characters and superfluous variation selectors. Joiners within emoji and
 * within scripts that need them stay.
 */
export function stripInvisible(text: string): string {
  if (!anyInvisible.test(text)) return text
  return text.replaceAll(invisible, (character, at: number) =>
    isNeeded(character, before(text, at), after(text, at + character.length)) ? character : "",
  )
}

/** Escapes every invisible character, such as \\u{202e}, in texts that people review. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(invisible, (character, at: number) => {
    if (isNeeded(character, before(text, at), after(text, at + character.length))) return character
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  })
}

/** A copy of a value with the invisible characters removed from every string in it, at any depth. */
export function stripInvisibleDeep<T>(value: T): T {
  if (typeof value === "string") return stripInvisible(value) as T
  if (Array.isArray(value)) return value.map(stripInvisibleDeep) as T
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, stripInvisibleDeep(one)])) as T
}

/**
 * Removes invisible characters and marks each line that contained some as a quotation: people do not type them, so such
 * a line does not count as the user's own words. Direction marks and the byte order mark are allowed.
 */
export function quoteHiddenLines(text: string): string {
  if (!anyInvisible.test(text)) return text
  return text
    .split("\n")
    .map((line) => {
      const typed = line.replaceAll(/[\uFEFF\u200E\u200F\u061C]/g, "")
      const seen = stripInvisible(typed)
      return seen === typed ? typed : `> ${seen}`
    })
    .join("\n")
}

const emojiPart = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F/u
const pictograph = /\p{Extended_Pictographic}/u
const emoji = /\p{Emoji}/u
const ideograph = /\p{Script=Han}/u
const mongolian = /\p{Script=Mongolian}/u
/** Scripts in which a joiner or non-joiner changes the text. */
const joining =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u

function isNeeded(character: string, previous: string, next: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code === 0x200d && emojiPart.test(previous) && pictograph.test(next)) return true
  if (code === 0x200c || code === 0x200d) return joining.test(previous) && joining.test(next)
  if (code === 0xfe0e || code === 0xfe0f) return emoji.test(previous)
  if ((code >= 0xfe00 && code <= 0xfe02) || (code >= 0xe0100 && code <= 0xe01ef))
    return ideograph.test(previous)
  return ((code >= 0x180b && code <= 0x180d) || code === 0x180f) && mongolian.test(previous)
}

function before(text: string, at: number): string {
  const isPair = at > 1 && text.charCodeAt(at - 1) >= 0xdc00 && text.charCodeAt(at - 1) <= 0xdfff
  return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at)
}

function after(text: string, at: number): string {
  return at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : ""
}
