import { codeOf } from "../../base/errors.ts"

const code = "TOO_MANY_VALUES"

/** Whether a text was not taken apart because it holds far too much: the file is to blame, and stays so. */
export function holdsTooMuch(error: unknown): boolean {
  return codeOf(error) === code
}

/**
 * A text of a few bytes a value takes twenty times its size in memory, and taking it apart cannot be stopped once it has
 * begun. Shorter texts cannot hold so many values that it matters.
 */
const alwaysFine = 8 * 1024 * 1024
const mostValues = 8_000_000

/** Parses JSON; throws for what is none, and before it begins for what would take too much memory. */
export function parseBounded(text: string): unknown {
  if (text.length > alwaysFine && valuesIn(text) > mostValues)
    throw Object.assign(new Error(`it holds more than ${mostValues / 1e6} million values`), { code })
  return JSON.parse(text)
}

const signs = { quote: 34, comma: 44, list: 91, backslash: 92, object: 123 }

/** About how many values there are; looks at each character once. */
function valuesIn(text: string): number {
  let values = 0
  let isText = false
  for (let index = 0; index < text.length; index += 1) {
    const sign = text.charCodeAt(index)
    if (sign === signs.quote) isText = !isText
    else if (isText) index += sign === signs.backslash ? 1 : 0
    else if (sign === signs.comma || sign === signs.list || sign === signs.object) values += 1
  }
  return values
}
