import { shorten, visible } from "../../base/text/text.ts"

/**
 * One line of somebody else's text, harmless in a notice: no line ends, no control characters, nothing unseen, no more than
 * so many characters, and nothing that a mail program or telephone would turn into a link.
 */
export function plainLine(text: string, length: number): string {
  return withoutLinks(shorten(text, length))
}

/** Several lines of somebody else's text, each marked as such and harmless. */
export function quotedLines(text: string, { lines, length }: { lines: number; length: number }): string[] {
  const all = visible(text.replaceAll(/\r\n?|[\u2028\u2029\u0085\v\f]/g, "\n"))
    .split("\n")
    .filter((line) => line.trim() !== "")
  const kept = all.slice(0, lines).map((line) => `| ${plainLine(line, length)}`)
  return all.length > lines ? [...kept, `| … and ${all.length - lines} more lines`] : kept
}

/** The only links in a notice are ours. */
function withoutLinks(text: string): string {
  return text
    .replaceAll(/([a-z][a-z0-9+.-]*):\/\//gi, "$1[:]//")
    .replaceAll(/\b(mailto|tel|sms|javascript|data):/gi, "$1[:]")
    .replaceAll(/\bwww\./gi, "www[.]")
    .replaceAll(/([\p{L}\p{N}-])\.([\p{L}-]{2,}(?:\.[\p{L}]{2,})*)(?=[/?#])/gu, "$1[.]$2")
}

/** A text in which a chat program finds nothing to render: no emphasis, no hidden words, no block of code. */
export function withoutMarkup(text: string): string {
  return text.replaceAll(/[\\*_~`|<>[\]#]/g, "\\$&")
}
