/** The limit of one part. */
export interface Longest {
  limit: number
  unit: "characters" | "bytes"
}

/**
 * Splits a long text into parts that fit, between paragraphs if possible, else lines, sentences or words, and never inside
 * a grapheme unless it alone is too long. A code block is closed at a cut and opened again in the next part. Whitespace at
 * a cut is dropped.
 */
export function splitText(text: string, longest: Longest): string[] {
  const parts: string[] = []
  let rest = text.trim()
  while (rest !== "" && sizeOf(rest, longest) > longest.limit) {
    const cut = cutAt(rest, longest, "")
    const fence = openFence(rest.slice(0, cut))
    const roomy = longest.limit > 8 * (closing.length + fence.length)
    if (fence === "" || !roomy) {
      parts.push(rest.slice(0, cut).trimEnd())
      rest = rest.slice(cut).trimStart()
    } else {
      const earlier = cutAt(rest, longest, closing)
      const inside = openFence(rest.slice(0, earlier))
      const head = rest.slice(0, earlier).trimEnd()
      parts.push(inside === "" ? head : `${head}${closing}`)
      const tail = rest.slice(earlier).replace(/^\s*\n/, "")
      rest = inside === "" ? tail.trimStart() : reopened(inside, tail)
    }
  }
  if (rest.trim() !== "") parts.push(rest)
  return parts.filter((part) => part !== "")
}

function sizeOf(text: string, { unit }: Longest): number {
  return unit === "bytes" ? Buffer.byteLength(text) : text.length
}

const closing = "\n```"

/** Opens a code block again, unless only its end is left. */
function reopened(fence: string, tail: string): string {
  const ended = /^\s*```[^\S\n]*(?:\n|$)/.exec(tail)
  return ended ? tail.slice(ended[0].length).trimStart() : `${fence}\n${tail}`
}

/** The line that opens the code block a text ends in; empty if it ends in none. */
function openFence(text: string): string {
  let open = ""
  for (const line of text.split("\n")) {
    const fence = /^\s*(?<mark>```)(?<language>[\w+#-]{0,20})/.exec(line)?.groups
    if (fence) open = open === "" ? `${fence.mark}${fence.language}` : ""
  }
  return open
}

/** Where to cut, the best first: after a match. */
const seams = [/\n\s*\n/g, /\n/g, /[.!?…]["')\]]?\s|[。！？]/g, /\s/g]
/** A cut must use at least this share of the limit. */
const leastUsed = 0.5

function cutAt(text: string, longest: Longest, behind: string): number {
  const end = fitting(text, { ...longest, limit: longest.limit - sizeOf(behind, longest) })
  // Whitespace right after the limit counts too, because it is dropped at a cut.
  const room = text.slice(0, end) + (/^\s+/.exec(text.slice(end))?.[0] ?? "")
  for (const seam of seams) {
    const last = [...room.matchAll(seam)].at(-1)
    const at = last ? last.index + last[0].length : 0
    if (at >= end * leastUsed && room.slice(0, at).trim() !== "") return at
  }
  return end
}

/** Longer than any real grapheme, in UTF-16 units. */
const longestCharacter = 1000

/** How many UTF-16 units fit, in whole graphemes; at least one. */
function fitting(text: string, longest: Longest): number {
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })
  const window = text.slice(0, longest.limit + longestCharacter)
  const whole = fill(
    Array.from(graphemes.segment(window), ({ segment }) => segment),
    longest,
  )
  return whole > 0 ? whole : Math.max(1, fill(Array.from(window), longest))
}

function fill(pieces: readonly string[], longest: Longest): number {
  let size = 0
  let units = 0
  for (const piece of pieces) {
    size += sizeOf(piece, longest)
    if (size > longest.limit) break
    units += piece.length
  }
  return units
}
