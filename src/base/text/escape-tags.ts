import { type DecodedCharacter, decodeNested } from "./decode-nested.ts"

/** A text without any character that could be decoded as a bracket. */
const plain = /^[^<&%\\\u0080-\u{10ffff}]*$/u

/**
 * Replaces the opening bracket of every tag with one of these names (lower case) by a parenthesis, whatever the case,
 * spacing and encoding of the tag. The rest of the text is unchanged.
 */
export function escapeTags(text: string, names: readonly string[]): string {
  if (plain.test(text)) return text
  const read = decodeNested(text)
  const kept: string[] = []
  let at = 0
  for (const [index, { text: sign, start, end }] of read.entries()) {
    // A ligature decodes to several characters but is replaced once.
    if (sign !== "<" || start < at || !isTag(text, read, index + 1, names)) continue
    kept.push(text.slice(at, start), "(")
    at = end
  }
  kept.push(text.slice(at))
  return kept.join("")
}

const between = /^[\s\p{Cc}/\\|!?;]$/u

/** Whether one of the names follows after white space, slashes and escapes such as \n. */
function isTag(
  text: string,
  read: readonly DecodedCharacter[],
  from: number,
  names: readonly string[],
): boolean {
  for (let at = from; at < read.length; at += 1) {
    if (names.some((name) => isName(text, read, at, name))) return true
    const sign = read[at]?.text ?? ""
    if (between.test(sign)) continue
    if (read[at - 1]?.text === "\\" && /^[bfnrtv]$/.test(sign)) continue
    return false
  }
  return false
}

function isName(text: string, read: readonly DecodedCharacter[], from: number, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) if (read[from + at]?.text !== name[at]) return false
  // Only a plain letter after it makes it a longer name: a reader may not decode anything else.
  return !/[\w-]/.test(text.charAt(read[from + name.length - 1]?.end ?? 0))
}
