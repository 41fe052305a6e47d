import { escapeControls, shorten } from "../../base/text/text.ts"

/**
 * One line of third-party text that is harmless in a notice: without line breaks, control or invisible characters, at
 * most `length` characters long, and with nothing that a mail program or phone would turn into a link.
 */
export function plainLine(text: string, length: number): string {
  return withoutLinks(shorten(text, length))
}

/** Several lines of third-party text, each marked as a quotation and harmless. */
export function quotedLines(text: string, { lines, length }: { lines: number; length: number }): string[] {
  const all = escapeControls(text.replaceAll(/\r\n?|[\u2028\u2029\u0085\v\f]/g, "\n"))
    .split("\n")
    .filter((line) => line.trim() !== "")
  const kept = all.slice(0, lines).map((line) => `| ${plainLine(line, length)}`)
  return all.length > lines ? [...kept, `| … and ${all.length - lines} more lines`] : kept
}

/** Breaks all links: the only ones in a notice are ours. */
function withoutLinks(text: string): string {
  return text
    .replaceAll(/([a-z][a-z0-9+.-]*):\/\//gi, "$1[:]//")
    .replaceAll(/\b(mailto|tel|sms|javascript|data):/gi, "$1[:]")
    .replaceAll(/\bwww\./gi, "www[.]")
    .replaceAll(/([\p{L}\p{N}-])\.([\p{L}-]{2,}(?:\.[\p{L}]{2,})*)(?=[/?#])/gu, "$1[.]$2")
}

/** Escapes everything that a chat program would render: emphasis, spoilers, code. */
export function withoutMarkup(text: string): string {
  return text.replaceAll(/[\\*_~`|<>[\]#]/g, "\\$&")
}
