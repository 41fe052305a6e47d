import { stripInvisible } from "../../../base/text/invisible.ts"

/** Control characters but for line ends and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** A text without control and invisible characters. */
export function cleanText(text: string): string {
  return stripInvisible(text.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n"))
    .replaceAll(controls, "")
    .toWellFormed()
}

const longestName = 80

/** A short name on one line; with the id if the name is invisible. */
export function cleanName(name: string, id: string): string {
  const line = cleanText(name).replaceAll(/\s+/g, " ").trim()
  const characters = Array.from(line)
  const short = characters.length > longestName ? `${characters.slice(0, longestName - 1).join("")}…` : line
  return short === "" ? `somebody (${cleanText(id).replaceAll(/\s/g, "")})` : short
}
