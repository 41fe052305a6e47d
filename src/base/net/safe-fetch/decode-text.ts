/**
 * Decodes a body as text. It tries the byte order mark, the charset of the header, the charset that the text declares,
 * UTF-8, and finally windows-1252.
 */
export function decodeText(body: Uint8Array, contentType: string | undefined): string {
  const marked = markedCharset(body)
  if (marked !== undefined) return decoded(body, marked, false) ?? ""
  const stated = [headerCharset(contentType), statedCharset(body), "utf-8"]
  for (const label of stated) {
    const text = label === undefined ? undefined : decoded(body, label, true)
    if (text !== undefined) return text
  }
  return decoded(body, "windows-1252", false) ?? ""
}

function decoded(body: Uint8Array, label: string, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(label, { fatal }).decode(body)
  } catch {
    // An unknown charset, or bytes that are invalid in it.
    return undefined
  }
}

function markedCharset(body: Uint8Array): string | undefined {
  const [a, b, c, d] = body
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8"
  if (a === 0xff && b === 0xfe) return "utf-16le"
  if (a === 0xfe && b === 0xff) return "utf-16be"
  // XML without a byte order mark: "<?" in two bytes each.
  if (a === 0x3c && b === 0 && d === 0) return "utf-16le"
  if (a === 0 && b === 0x3c && c === 0) return "utf-16be"
  return undefined
}

function headerCharset(contentType = ""): string | undefined {
  return /;\s*charset\s*=\s*"?\s*([^\s";]{1,40})/i.exec(contentType.slice(0, 500))?.[1]
}

/** The charset of an XML declaration or a meta element. */
function statedCharset(body: Uint8Array): string | undefined {
  const beginning = Buffer.from(body.subarray(0, 2048)).toString("latin1")
  const xml = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(beginning)?.[1]
  const meta = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(beginning)?.[1]
  const stated = xml ?? meta
  // A declaration that is readable as single bytes cannot be UTF-16.
  return stated !== undefined && /^utf-?16/i.test(stated) ? "utf-8" : stated
}
