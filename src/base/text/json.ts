import { messageOf } from "../errors.ts"

/** The maximum nesting of JSON, so that recursive functions on the value cannot overflow the stack. */
const deepestNesting = 200

/** Parses JSON from outside. The error does not quote the text, which may contain secrets. */
export function parseJson(text: string): unknown {
  if (nestsTooDeep(text)) throw new SyntaxError(`it is nested deeper than ${deepestNesting} levels`)
  try {
    return JSON.parse(text)
  } catch (error) {
    const unquoted = messageOf(error).replace(/,? ?(?:\.{3})?".*$/, "")
    throw new SyntaxError(`it is not valid JSON (${unquoted})`)
  }
}

/** Parses JSON; undefined if the text is not valid. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const code = { quote: 34, backslash: 92 }
/** The characters that open and close a level. */
const steps: Record<string, number> = { "[": 1, "{": 1, "]": -1, "}": -1 }

function nestsTooDeep(text: string): boolean {
  let depth = 0
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) === code.quote) index = endOfText(text, index)
    else depth += steps[text[index] ?? ""] ?? 0
    if (depth > deepestNesting) return true
  }
  return false
}

/** The end of the quoted string that begins here. */
function endOfText(text: string, begin: number): number {
  let index = begin + 1
  while (index < text.length && text.charCodeAt(index) !== code.quote) {
    index += text.charCodeAt(index) === code.backslash ? 2 : 1
  }
  return index
}
