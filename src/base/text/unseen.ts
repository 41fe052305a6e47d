/** Characters that are not seen: they hide text from people that models still read, or show it in another order. */
const unseen = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu
const anyUnseen = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u

/**
 * A text without characters that nobody sees: zero-width, tag and bidi control characters, and variation selectors beyond
 * the one that a character may have. Those that writing needs stay: joiners within emoji and within scripts that join.
 */
export function withoutUnseen(text: string): string {
  if (!anyUnseen.test(text)) return text
  return text.replaceAll(unseen, (character, at: number) =>
    isNeeded(character, before(text, at), after(text, at + character.length)) ? character : "",
  )
}

/** A text in which every character that nobody sees is spelled out, such as \\u{202e}: for what people review. */
export function spellUnseen(text: string): string {
  return text.replaceAll(unseen, (character, at: number) => {
    if (isNeeded(character, before(text, at), after(text, at + character.length))) return character
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  })
}

/** The same value with every text in it without characters that nobody sees, however deep it stands. */
export function onlySeen<T>(value: T): T {
  if (typeof value === "string") return withoutUnseen(value) as T
  if (Array.isArray(value)) return value.map(onlySeen) as T
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, onlySeen(one)])) as T
}

/**
 * A text without characters that nobody sees, in which each line that held some is marked as a quotation: nobody types
 * them, and what they hid must not be taken for a person's own word. Marks of direction and of the byte order are typed.
 */
export function quoteHidden(text: string): string {
  if (!anyUnseen.test(text)) return text
  return text
    .split("\n")
    .map((line) => {
      const typed = line.replaceAll(/[\uFEFF\u200E\u200F\u061C]/g, "")
      const seen = withoutUnseen(typed)
      return seen === typed ? typed : `> ${seen}`
    })
    .join("\n")
}

const emojiPart = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F/u
const pictograph = /\p{Extended_Pictographic}/u
const emoji = /\p{Emoji}/u
const ideograph = /\p{Script=Han}/u
const mongolian = /\p{Script=Mongolian}/u
/** Letters and marks of scripts in which a joiner or non-joiner changes what is read. */
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
