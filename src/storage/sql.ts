/** A value that both databases can bind. */
export type SqlValue = string | number | null | Uint8Array

/** One parameter of a statement: a value, a list of values, or a table. */
type Bound = SqlValue | readonly SqlValue[] | Table

/** A statement and its values, created by the `sql` template. Statements can be nested. */
export interface Sql {
  readonly parts: readonly string[]
  readonly values: readonly Bound[]
}

/** Creates a statement. Every ${value} is bound, never inserted as text; a nested Sql becomes part of the text. */
export function sql(strings: TemplateStringsArray, ...inserts: (SqlValue | Sql)[]): Sql {
  const parts = [strings[0] ?? ""]
  const values: Bound[] = []
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

/** Joins statements with a separator such as sql` and `. */
export function joinSql(pieces: readonly Sql[], separator: Sql): Sql {
  const parts = [""]
  const values: Bound[] = []
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

/** A constant text as a statement. Never pass anything from outside. */
export function plainSql(text: string): Sql {
  return { parts: [text], values: [] }
}

/** A bound list for `in` or `not in`. An empty list matches nothing, and is not allowed after `not in`. */
export function sqlList(values: readonly SqlValue[]): Sql {
  return { parts: ["", ""], values: [values] }
}

/** Rows that a statement can read like a table. */
interface Table {
  readonly columns: Readonly<Record<string, "text" | "bigint">>
  readonly rows: readonly (readonly (string | number | null)[])[]
}

/** Bound rows for `from`, followed by an alias. SQLite pads them with rows of nulls, so no real row may be all nulls. */
export function sqlTable(columns: Table["columns"], rows: Table["rows"]): Sql {
  return { parts: ["", ""], values: [{ columns, rows }] }
}

/** Lists up to this length are padded. */
const longestPadded = 2000

/** Pads a list to one of few lengths (1, 2, 3, 4, 6, 8, 12, 16, 24, …), so that prepared statements are reused. */
function padToBucket<T>(values: readonly T[], filling: T): readonly T[] {
  if (values.length === 0 || values.length > longestPadded) return values
  let power = 1
  while (power < values.length) power *= 2
  const length = power * 0.75 >= values.length ? power * 0.75 : power
  return [...values, ...Array.from({ length: length - values.length }, () => filling)]
}

/** A statement with SQLite's placeholders. Lists and tables are padded, with a repeated value or rows of nulls. */
export function sqliteText({ parts, values }: Sql): { text: string; values: SqlValue[] } {
  const bound: SqlValue[] = []
  let text = parts[0] ?? ""
  values.forEach((value, index) => {
    text += sqliteParameter(value, bound) + (parts[index + 1] ?? "")
  })
  return { text, values: bound }
}

/** The text for one parameter; its values are appended to `bound`. */
function sqliteParameter(value: Bound, bound: SqlValue[]): string {
  if (isList(value)) {
    const filled = padToBucket(value, value.at(-1) ?? null)
    bound.push(...filled)
    return filled.length === 0 ? "(null)" : marks(filled.length)
  }
  if (isTable(value)) {
    const names = Object.keys(value.columns)
    const none = names.map(() => null)
    const rows = value.rows.length === 0 ? [none] : padToBucket(value.rows, none)
    for (const row of rows) bound.push(...row)
    const all = Array.from({ length: rows.length }, () => marks(names.length)).join(", ")
    return `(with given (${names.join(", ")}) as (values ${all}) select * from given)`
  }
  bound.push(value)
  return "?"
}

function marks(count: number): string {
  return `(?${", ?".repeat(count - 1)})`
}

/** A statement with PostgreSQL's placeholders. A list is one value, so the text does not depend on its length. */
export function postgresText({ parts, values }: Sql): { text: string; values: unknown[] } {
  const bound: unknown[] = []
  const bind = (value: unknown) => `$${bound.push(value)}`
  let text = parts[0] ?? ""
  values.forEach((value, index) => {
    if (isList(value)) text = `${beforeList(text)}(${bind(value)})`
    else if (isTable(value)) text += tableText(value, bind)
    else text += bind(value)
    text += parts[index + 1] ?? ""
  })
  return { text, values: bound }
}

/** Each column is bound as one array. */
function tableText({ columns, rows }: Table, bind: (value: unknown) => string): string {
  const names = Object.keys(columns)
  const each = Object.values(columns).map(
    (type, column) => `${bind(rows.map((row) => row[column]))}::${type}[]`,
  )
  return `(select * from unnest(${each.join(", ")}) given (${names.join(", ")}))`
}

function beforeList(text: string): string {
  if (!text.endsWith(" in ")) throw new TypeError("a list of values is only allowed after in or not in")
  return text.endsWith(" not in ") ? `${text.slice(0, -7)}<> all ` : `${text.slice(0, -3)}= any `
}

function isList(value: Bound): value is readonly SqlValue[] {
  return Array.isArray(value)
}

function isTable(value: Bound): value is Table {
  return typeof value === "object" && value !== null && "columns" in value
}

function isSql(value: SqlValue | Sql): value is Sql {
  return typeof value === "object" && value !== null && "parts" in value
}
