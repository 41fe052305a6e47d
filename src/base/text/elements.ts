/** The brackets of a tag as programs write them: plain, full-width, and escaped for HTML, JSON or URLs. */
const open = String.raw`(?:<|\uFF1C|\uFE64|\u2039|&lt;|&#60;|\\u003c|%3C)`
const close = String.raw`(?:>|\uFF1E|\uFE65|\u203A|&gt;|&#62;|\\u003e|%3E)`
const slash = String.raw`(?:\/|\uFF0F|\\\/|%2F)`

/** An opening or closing tag in a text. */
export interface Tag {
  start: number
  end: number
  opens: boolean
}

/** The maximum length of a tag's attributes. */
const longestTag = 300

/** Creates a function that finds the tags of these elements in one pass, however their brackets are written. */
export function createTagFinder(names: readonly string[]): (text: string) => Tag[] {
  const begin = `${open}\\s{0,8}(${slash})?\\s{0,8}(?:${names.map(escapeRegExp).join("|")})(?![\\w-])`
  const pattern = new RegExp(`${begin}(?:[^<>\\uFF1C\\uFF1E]{0,${longestTag}}?${close})?`, "gi")
  return (text) =>
    Array.from(text.matchAll(pattern), (match) => {
      const end = match.index + match[0].length
      return { start: match.index, end, opens: match[1] === undefined }
    })
}

/** A text as a regular expression that matches exactly it. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
}

/**
 * Creates a function that removes elements such as `<system-reminder>…</system-reminder>`: from the first opening to the
 * last closing tag, because the content may contain such tags itself; to the end if the last one is not closed.
 */
export function createElementRemover(names: readonly string[]): (text: string) => string {
  const find = createTagFinder(names)
  return (text) => {
    const edges = find(text)
    const first = edges.find(({ opens }) => opens)
    const last = edges.at(-1)
    if (first === undefined || last === undefined) return removeRanges(text, edges)
    const strays = edges.filter(({ start }) => start < first.start)
    return removeRanges(text, [...strays, { start: first.start, end: last.opens ? text.length : last.end }])
  }
}

/** A text without some ranges, which are sorted and do not overlap. */
export function removeRanges(text: string, ranges: readonly { start: number; end: number }[]): string {
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
