import { type ReadCharacter, readThrough } from "./read-through.ts"

/** Nothing that could be read as a bracket stands in such a text. */
const plain = /^[^<&%\\\u0080-\u{10ffff}]*$/u

/**
 * A text in which nobody can read a tag of these names (lower case), opening or closing, whatever its case, its spacing
 * and its encoding: the bracket before each becomes a parenthesis. All else stays as it is.
 */
export function escapeTags(text: string, names: readonly string[]): string {
  if (plain.test(text)) return text
  const read = readThrough(text)
  const kept: string[] = []
  let at = 0
  for (const [index, { text: sign, start, end }] of read.entries()) {
    // A ligature may stand for several characters: it is replaced once.
    if (sign !== "<" || start < at || !isTag(text, read, index + 1, names)) continue
    kept.push(text.slice(at, start), "(")
    at = end
  }
  kept.push(text.slice(at))
  return kept.join("")
}

const between = /^[\s\p{Cc}/\\|!?;]$/u

/** Whether one of the names follows, after white space and slashes; a backslash may have a letter that means space. */
function isTag(
  text: string,
  read: readonly ReadCharacter[],
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

function isName(text: string, read: readonly ReadCharacter[], from: number, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) if (read[from + at]?.text !== name[at]) return false
  // Only a plain letter right behind it makes it another name: a reader may not see through anything else.
  return !/[\w-]/.test(text.charAt(read[from + name.length - 1]?.end ?? 0))
}
