/** What can be bound to a statement in both databases. */
export type SqlValue = string | number | null | Uint8Array

/** A statement with its values apart, made by the `sql` template; pieces can be nested. */
export interface Sql {
  readonly parts: readonly string[]
  readonly values: readonly SqlValue[]
}

/** Writes a statement: every ${value} is bound, never pasted; a nested Sql becomes part of the text. */
export function sql(strings: TemplateStringsArray, ...inserts: (SqlValue | Sql)[]): Sql {
  const parts = [strings[0] ?? ""]
  const values: SqlValue[] = []
  const extend = (text: string) => parts.push((parts.pop() ?? "") + text)
  inserts.forEach((insert, index) => {
    const after = strings[index + 1] ?? ""
    if (isSql(insert)) {
      extend(insert.parts[0] ?? "")
      values.push(...insert.values)
      parts.push(...insert.parts.slice(1))
      extend(after)
    } else {
      values.push(insert)
      parts.push(after)
    }
  })
  return { parts, values }
}

/** Joins pieces with a separator such as sql` and `; no pieces give an empty text. */
export function joinSql(pieces: readonly Sql[], separator: Sql): Sql {
  const parts = [""]
  const values: SqlValue[] = []
  const add = (piece: Sql) => {
    parts.push((parts.pop() ?? "") + (piece.parts[0] ?? ""), ...piece.parts.slice(1))
    values.push(...piece.values)
  }
  pieces.forEach((piece, index) => {
    if (index > 0) add(separator)
    add(piece)
  })
  return { parts, values }
}

/** Bound rows for `values …`: (a, b), (c, d). All rows have the same length. */
export function sqlRows(rows: readonly (readonly SqlValue[])[]): Sql {
  const parts: string[] = []
  rows.forEach((row, index) => {
    parts.push(index === 0 ? "(" : "), (", ...row.slice(1).map(() => ", "))
  })
  return { parts: [...parts, ")"], values: rows.flat() }
}

/** A constant text as a piece of a statement; never anything that came from outside. */
export function plainSql(text: string): Sql {
  return { parts: [text], values: [] }
}

/** Lists up to this long are filled up by repeating a value. */
const longestFilled = 2000

/**
 * A bound list for `in (…)`; an empty list matches nothing. Lists come in few lengths, so that the database knows the
 * statement: a value that stands in a list twice changes nothing.
 */
export function sqlList(values: readonly SqlValue[]): Sql {
  const last = values.at(-1)
  if (last === undefined) return sql`(null)`
  const length = filledLength(values.length)
  const parts = ["(", ...Array.from({ length: length - 1 }, () => ", "), ")"]
  return { parts, values: [...values, ...Array.from({ length: length - values.length }, () => last)] }
}

/** How long to make a list of this length: 1, 2, 3, 4, 6, 8, 12, 16, 24, ... */
export function filledLength(length: number): number {
  if (length > longestFilled) return length
  let power = 1
  while (power < length) power *= 2
  return power * 0.75 >= length ? power * 0.75 : power
}

/** The statement's text with this database's placeholders. */
export function sqlText(query: Sql, placeholder: (position: number) => string): string {
  return query.parts.reduce((text, part, index) => text + placeholder(index) + part)
}

function isSql(value: SqlValue | Sql): value is Sql {
  return typeof value === "object" && value !== null && "parts" in value
}
