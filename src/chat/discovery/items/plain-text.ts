import { shorten } from "../../../base/text/text.ts"

/** Untrusted text as one line without markup, control and invisible characters. */
export function plainText(value: unknown, longest: number): string {
  if (typeof value !== "string") return ""
  // Long input is cut before it is parsed; most of it is markup.
  const seen = unescaped(withoutMarkup(value.slice(0, longest * 20))).replaceAll(/\p{Cc}/gu, " ")
  return shorten(seen, longest).toWellFormed()
}

const hidden = /^(?:script|style|template|noscript)\b/i

/** The text between tags, in one pass. */
function withoutMarkup(text: string): string {
  if (!text.includes("<")) return text
  const kept: string[] = []
  let at = 0
  while (at < text.length) {
    const open = text.indexOf("<", at)
    if (open === -1) break
    kept.push(text.slice(at, open))
    const rest = text.slice(open + 1, open + 20)
    if (!/^[a-z/!?]/i.test(rest)) {
      kept.push("<")
      at = open + 1
      continue
    }
    const close = text.indexOf(">", open)
    if (close === -1) return kept.join("")
    at = hidden.test(rest) ? afterElement(text, close, rest) : close + 1
    kept.push(" ")
  }
  return [...kept, text.slice(at)].join("")
}

function afterElement(text: string, from: number, rest: string): number {
  const name = /^\w+/.exec(rest)?.[0]?.toLowerCase() ?? ""
  const end = text.toLowerCase().indexOf(`</${name}`, from)
  const close = end === -1 ? -1 : text.indexOf(">", end)
  return close === -1 ? text.length : close + 1
}

const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", hellip: "…" },
  ...{ ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”" },
}

/** Resolves entities such as &amp;; unknown ones stay as they are. */
function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : ""
  })
}
