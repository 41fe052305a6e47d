import { messageOf } from "./errors.ts"

/** Parses JSON from outside. Its failure tells what is wrong without quoting the text, which may hold anything. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const unquoted = messageOf(error).replace(/,? ?(?:\.{3})?".*$/, "")
    throw new SyntaxError(`it is not valid JSON (${unquoted})`)
  }
}
