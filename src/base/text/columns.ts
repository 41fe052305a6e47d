/** Characters that take two columns in a terminal: East Asian wide and full-width ones, and emoji. */
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})/u
const without = /^[\p{Mark}\p{Format}\p{Control}]+$/u
/** The variation selector that turns a character into an emoji. */
const pictured = /\ufe0f/
/** Marks that take a column: vowel signs of Indic scripts, the voice marks of half-width kana. */
const spacing = /[\p{Spacing_Mark}\uff9e\uff9f]/gu

/** Characters of one column that never combine: nearly all output of commands. */
const plain = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2500-\u25fc]*$/u

/** Splits a text into graphemes. Created on first use because that takes longer than a whole command. */
let segmenter: Intl.Segmenter | undefined
function clustersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })
  return segmenter.segment(text)
}

function columnsOfCluster(cluster: string): number {
  if (without.test(cluster)) return 0
  if (wide.test(cluster) || pictured.test(cluster)) return 2
  return 1 + (cluster.match(spacing)?.length ?? 0)
}

/** The number of terminal columns of a text without colour codes. */
export function columnsOf(text: string): number {
  if (plain.test(text)) return text.length
  let columns = 0
  for (const { segment } of clustersOf(text)) columns += columnsOfCluster(segment)
  return columns
}

/** Cuts a text to at most this many columns, with an ellipsis if something is missing. */
export function fitColumns(text: string, most: number): string {
  if (plain.test(text)) return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`
  let end = 0
  let columns = 0
  for (const { segment, index } of clustersOf(text)) {
    columns += columnsOfCluster(segment)
    if (columns <= most - 1) end = index + segment.length
    if (columns > most) return `${text.slice(0, end)}…`
  }
  return text
}

/** Breaks a text between words into lines of at most `columns`; a longer word gets a line of its own. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last === undefined || columnsOf(last) + 1 + columnsOf(word) > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
