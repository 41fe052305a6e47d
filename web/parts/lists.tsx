import type { ReactNode } from "react"

/** A list of rows; `empty` is shown instead of an empty list. */
export function Rows<T>({
  items,
  keyOf,
  empty = null,
  children,
}: {
  items: readonly T[]
  keyOf(item: T): string
  empty?: ReactNode
  children(item: T): ReactNode
}) {
  if (items.length === 0) return empty
  return (
    <ul className="rows">
      {items.map((item) => (
        <li key={keyOf(item)}>{children(item)}</li>
      ))}
    </ul>
  )
}

interface TableProps {
  /** The titles of text columns, then of number columns. */
  texts: readonly string[]
  numbers: readonly string[]
  rows: readonly (readonly (string | number)[])[]
}

/** A table whose text columns identify each row. */
export function Table({ texts, numbers, rows }: TableProps) {
  const classOf = (column: number) => (column < texts.length ? "" : "number")
  return (
    <div className="scroll-x">
      <table className="table">
        <thead>
          <tr>
            {[...texts, ...numbers].map((title, column) => (
              <th key={title} className={classOf(column)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.slice(0, texts.length).join(" ")}>
              {row.map((value, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell's identity is its column
                <td key={column} className={classOf(column)}>
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
