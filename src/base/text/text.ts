import { stripInvisible } from "./invisible.ts"

/**
 * Text that is safe to show on a terminal: control characters except line breaks and tabs are escaped, and invisible or
 * reordering characters are removed.
 */
export function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
  return stripInvisible(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\x${code.toString(16).padStart(2, "0")}`
  })
}

/** A URL without passwords in its user info or query. In http URLs the whole user info may be a token. */
export function withoutPassword(url: string): string {
  return url
    .replace(/^(https?:\/\/)[^/?#]*@/i, "$1***@")
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/?#]*):.*@/i, "$1:***@")
    .replaceAll(/([?&](?:ssl)?pass(?:word|phrase)?=)[^&#]+/gi, "$1***")
}

/** Cuts a text to at most this many characters on one line, with an ellipsis if something is missing. */
export function shorten(text: string, length: number): string {
  const line = escapeControls(text.replaceAll(/\s+/g, " ").trim())
  const characters = Array.from(line)
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`
}

/** "1 memory", "2 memories". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`
}

/** A number with thousands separators: 12,345.6. Node's own formatter takes 20 ms to load. */
export function grouped(number: number | bigint): string {
  const shown = typeof number === "bigint" ? number : Math.round(number * 1000) / 1000
  const [whole = "", ...rest] = String(shown).split(".")
  return [whole.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, ","), ...rest].join(".")
}

/** A duration for people: "3 s", "5 min", "2 h", "4 d". */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** A number of bytes for people: "1.4 MB". */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const units = ["kB", "MB", "GB", "TB"]
  let value = bytes
  let unit = -1
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value.toFixed(1)} ${units[unit]}`
}

/** Whether the first dotted version in a text is at least another. */
export function isAtLeast(text: string, oldest: readonly number[]): boolean {
  const parts = (/\d+(\.\d+)*/.exec(text)?.[0] ?? "0").split(".").map(Number)
  const different = oldest.findIndex((wanted, index) => (parts[index] ?? 0) !== wanted)
  return different === -1 || (parts[different] ?? 0) > (oldest[different] ?? 0)
}

/** The candidate closest to a mistyped word, if any is close enough. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  // At most half of a short word may differ.
  let bestDistance = Math.min(Math.max(2, Math.floor(word.length / 3)), Math.floor(word.length / 2)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** The Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** A text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
