import { cleanText } from "../text/clean.ts"
import { splitText } from "../text/split-text.ts"

/** The longest text, in bytes, that every server relays: 512 less the longest usual sender, command and target. */
export const longestLine = 340
/** A whole line is at most 512 bytes, including CR LF. */
const wholeLine = 510
/** The longest user and host name that a server may prepend, with the separators. */
const senderRest = 1 + 1 + 11 + 1 + 63 + 1

/** Splits a text into lines that fit and contain no commands. */
export function linesOf(text: string, nick: string, target: string): string[] {
  const command = Buffer.byteLength(`PRIVMSG ${target} :`)
  const limit = Math.max(
    40,
    Math.min(longestLine, wholeLine - senderRest - Buffer.byteLength(nick) - command),
  )
  return cleanText(text)
    .split("\n")
    .map((line) => line.replaceAll("\t", "    ").trimEnd())
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const action = /^\/me\s+(?<what>\S.*)$/.exec(line)?.groups?.what
      if (action === undefined) return splitText(line, { limit, unit: "bytes" })
      return splitText(action, { limit: limit - actionSigns, unit: "bytes" }).map(asAction)
    })
}

const actionSigns = 9

function asAction(text: string): string {
  return `\u0001ACTION ${text}\u0001`
}

/** An outgoing line as readers see it. */
export function visibleText(line: string, nick: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is how an action is marked
  const action = /^\u0001ACTION (.*)\u0001$/s.exec(line)?.[1]
  return action === undefined ? line : actionText(nick, action)
}

/** An action (/me), as clients show it. */
export function actionText(nick: string, text: string): string {
  return `* ${nick} ${text}`
}

const formatting =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
  /\u0003(?:\d{1,2}(?:,\d{1,2})?)?|\u0004(?:[0-9a-fA-F]{6}(?:,[0-9a-fA-F]{6})?)?|[\u0002\u000f\u0011\u0016\u001d-\u001f]/g

/** A received line as plain text. */
export function plainLine(text: string): string {
  return cleanText(text.replaceAll(formatting, ""))
}

/** Whether a text can be a channel or nick; anything else could inject a command. */
export function isTarget(target: string): boolean {
  return /^[^\s,:\p{Cc}\p{Z}][^\s,\p{Cc}\p{Z}]{0,199}$/u.test(target)
}
