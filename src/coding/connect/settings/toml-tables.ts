/** A table of a TOML text as it stands there: its header, and the lines until the next one. */
interface Table {
  /** The dotted name, with the quotes it may have. */
  name: string
  /** The line of the header, and of the last thing in it, from 0. */
  first: number
  last: number
  body: string
}

const header = /^\s*\[\[?\s*([^[\]]+?)\s*\]\]?\s*(?:#.*)?$/

/** The tables of a text in their order. */
function tablesIn(lines: readonly string[]): Table[] {
  const starts = lines.flatMap((line, index) => {
    const name = header.exec(line)?.[1]
    return name === undefined ? [] : [{ name, index }]
  })
  return starts.map(({ name, index }, place) => {
    const inside = lines.slice(index + 1, starts[place + 1]?.index ?? lines.length)
    // Space and comments before the next header are the next one's.
    const length = inside.findLastIndex((line) => /^\s*[^#\s]/.test(line)) + 1
    return { name, first: index, last: index + length, body: inside.slice(0, length).join("\n") }
  })
}

/** Puts tables at the end of a text. */
export function appendTables(text: string, tables: string): string {
  if (text.trim() === "") return text + tables
  return `${text}${text.endsWith("\n") ? "" : "\n"}\n${tables}`
}

/** Takes away the tables that are meant, each with the empty line before it. */
export function removeTables(
  text: string,
  isMeant: (name: string, body: string, next: string) => boolean,
): string {
  const lines = text.split("\n")
  const tables = tablesIn(lines)
  const meant = tables.filter(({ name, body }, index) => isMeant(name, body, tables[index + 1]?.body ?? ""))
  for (const { first, last } of meant.toReversed()) {
    const from = first > 0 && lines[first - 1]?.trim() === "" ? first - 1 : first
    lines.splice(from, last - from + 1)
  }
  return lines.join("\n")
}

/** A text as TOML writes it; JSON's escapes are among TOML's. */
export function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f")
}
