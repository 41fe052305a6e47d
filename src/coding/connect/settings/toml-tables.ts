import { parseToml } from "../../../config/toml.ts"

/** Appends tables to a text. */
export function appendTables(text: string, tables: string): string {
  if (text.trim() === "") return text + tables
  return `${text}${text.endsWith("\n") ? "" : "\n"}\n${tables}`
}

/** Removes the selected tables, each with the empty line before it. `body` is the text of a table, `next` of the one after. */
export function removeTables(
  text: string,
  isSelected: (name: readonly string[], body: string, next: string) => boolean,
): string {
  const parsed = parseToml(text)
  if (!("file" in parsed)) return text
  const lines = text.split("\n")
  const tables = parsed.file.tables.map(({ name, first, last }) => {
    return { name, first: first - 1, last, body: lines.slice(first, last).join("\n") }
  })
  const selected = tables.filter(({ name, body }, index) =>
    isSelected(name, body, tables[index + 1]?.body ?? ""),
  )
  for (const { first, last } of selected.toReversed()) {
    const from = first > 0 && lines[first - 1]?.trim() === "" ? first - 1 : first
    lines.splice(from, last - from)
  }
  return lines.join("\n")
}

/** A text as a TOML string. JSON's escapes are valid in TOML. */
export function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f")
}
