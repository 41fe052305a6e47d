import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { codeOf } from "../../base/errors.ts"
import { tryParseJson } from "../../base/text/json.ts"

const code = "TOO_MANY_VALUES"

/** Whether a text was not parsed because it has too many values: reading the file again would fail again. */
export function hasTooManyValues(error: unknown): boolean {
  return codeOf(error) === code
}

/**
 * JSON with many small values takes twenty times its size in memory, and parsing cannot be stopped. Texts below the
 * first limit cannot contain enough values to matter.
 */
const uncheckedLength = 8 * 1024 * 1024
const mostValues = 8_000_000

/** A line, or a whole file, as JSON; undefined if it is none. Throws if it has too many values. */
export function parseJsonLine(text: string): unknown {
  if (text.length > uncheckedLength && valuesIn(text) > mostValues)
    throw Object.assign(new Error(`it has more than ${mostValues / 1e6} million values`), { code })
  return tryParseJson(text)
}

const characters = { quote: 34, comma: 44, list: 91, backslash: 92, object: 123 }

/** About how many values a JSON text has. */
function valuesIn(text: string): number {
  let values = 0
  let isText = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index)
    if (character === characters.quote) isText = !isText
    else if (isText) index += character === characters.backslash ? 1 : 0
    else if (
      character === characters.comma ||
      character === characters.list ||
      character === characters.object
    )
      values += 1
  }
  return values
}

/** An ISO time in a transcript, as milliseconds. */
export const timestamp = z
  .string()
  .transform((text) => parseTime(text))
  .pipe(z.number())
