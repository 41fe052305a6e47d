/** How programs write a bracket of a tag: as it is, in full width, for HTML, for JSON, for a URL. */
const open = String.raw`(?:<|\uFF1C|\uFE64|\u2039|&lt;|&#60;|\\u003c|%3C)`
const close = String.raw`(?:>|\uFF1E|\uFE65|\u203A|&gt;|&#62;|\\u003e|%3E)`
const slash = String.raw`(?:\/|\uFF0F|\\\/|%2F)`

/** The edge of an element: where it stands in a text, and whether the element begins or ends there. */
export interface Edge {
  start: number
  end: number
  opens: boolean
}

/** A tag may hold so much before its bracket closes. */
const longestTag = 300

/** A finder of the tags of elements with these names, however their brackets are written; one pass over the text. */
export function edgesOf(names: readonly string[]): (text: string) => Edge[] {
  const begin = `${open}\\s{0,8}(${slash})?\\s{0,8}(?:${names.map(escaped).join("|")})(?![\\w-])`
  const pattern = new RegExp(`${begin}(?:[^<>\\uFF1C\\uFF1E]{0,${longestTag}}?${close})?`, "gi")
  return (text) =>
    Array.from(text.matchAll(pattern), (match) => {
      const end = match.index + match[0].length
      return { start: match.index, end, opens: match[1] === undefined }
    })
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
}

/**
 * Takes out of a text what a program put into it in elements, such as `<system-reminder>…</system-reminder>`: from the
 * first tag that opens to the last that closes, because what is inside may hold such tags itself; to the end where the
 * last does not close.
 */
export function elementRemover(names: readonly string[]): (text: string) => string {
  const find = edgesOf(names)
  return (text) => {
    const edges = find(text)
    const first = edges.find(({ opens }) => opens)
    const last = edges.at(-1)
    if (first === undefined || last === undefined) return withoutRanges(text, edges)
    const strays = edges.filter(({ start }) => start < first.start)
    return withoutRanges(text, [...strays, { start: first.start, end: last.opens ? text.length : last.end }])
  }
}

/** A text without some ranges, given in their order and apart from each other. */
export function withoutRanges(text: string, ranges: readonly { start: number; end: number }[]): string {
  if (ranges.length === 0) return text
  const kept: string[] = []
  let at = 0
  for (const { start, end } of ranges) {
    kept.push(text.slice(at, start))
    at = end
  }
  kept.push(text.slice(at))
  return kept.join("")
}
