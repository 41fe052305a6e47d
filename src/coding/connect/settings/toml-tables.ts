import { parseToml } from "../../../config/toml.ts"

/** Puts tables at the end of a text. */
export function appendTables(text: string, tables: string): string {
  if (text.trim() === "") return text + tables
  return `${text}${text.endsWith("\n") ? "" : "\n"}\n${tables}`
}

/** Takes away the tables that are meant, each with the empty line before it; `body` is what stands in a table. */
export function removeTables(
  text: string,
  isMeant: (name: readonly string[], body: string, next: string) => boolean,
): string {
  const parsed = parseToml(text)
  if (!("file" in parsed)) return text
  const lines = text.split("\n")
  const tables = parsed.file.tables.map(({ name, first, last }) => {
    return { name, first: first - 1, last, body: lines.slice(first, last).join("\n") }
  })
  const meant = tables.filter(({ name, body }, index) => isMeant(name, body, tables[index + 1]?.body ?? ""))
  for (const { first, last } of meant.toReversed()) {
    const from = first > 0 && lines[first - 1]?.trim() === "" ? first - 1 : first
    lines.splice(from, last - from)
  }
  return lines.join("\n")
}

/** A text as TOML writes it; JSON's escapes are among TOML's. */
export function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f")
}
