import { withoutUnseen } from "../../../base/text/unseen.ts"

/** Control characters but for line ends and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** What somebody wrote, as plain text: without control characters and what nobody sees. */
export function cleanText(text: string): string {
  return withoutUnseen(text.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n"))
    .replaceAll(controls, "")
    .toWellFormed()
}

const longestName = 80

/** Somebody's name on one line, short enough to be shown; the id where nothing of it can be seen. */
export function cleanName(name: string, id: string): string {
  const line = cleanText(name).replaceAll(/\s+/g, " ").trim()
  const characters = Array.from(line)
  const short = characters.length > longestName ? `${characters.slice(0, longestName - 1).join("")}…` : line
  return short === "" ? `somebody (${cleanText(id).replaceAll(/\s/g, "")})` : short
}
