import { stripVTControlCharacters } from "node:util"
import type { StatusAnswer } from "../../api/contract.ts"
import { columnsOf, fitColumns } from "../../base/text/columns.ts"
import { visible } from "../../base/text/text.ts"
import { statusBox } from "../cli/view/status-box.ts"
import type { TuiNeeds } from "./needs.ts"
import { type Page, pages, type Row } from "./pages.ts"

/** Everything that the screen shows. */
export interface Screen {
  page: Page
  rows: readonly Row[]
  selected: number
  /** Where the preview begins, in lines. */
  scrolled: number
  query: string
  isTyping: boolean
  /** Whether the rows are still on their way. */
  isLoading: boolean
  status: StatusAnswer | undefined
  /** What was done last, or what is wrong. */
  said: string
}

interface Size {
  columns: number
  lines: number
}

/** The preview stands beside the list where there is room, else below it. */
const wideColumns = 100

/** The whole screen as lines, never more or wider than the terminal: pages, list and preview, the widget, the keys. */
export function drawScreen(needs: TuiNeeds, screen: Screen, { columns, lines }: Size): string[] {
  const widget = widgetLines(needs, screen.status, columns)
  const head = [pageBar(needs, screen.page, columns), ...searchLine(screen, columns)]
  const foot = [footLine(needs, screen, columns)]
  // On a very low screen the list goes before the widget, and the widget before nothing.
  const room = Math.max(1, lines - head.length - widget.length - foot.length)
  const body = bodyLines(needs, screen, { columns, lines: room })
  return [...head, ...body, ...widget, ...foot].slice(0, lines)
}

function pageBar({ output }: TuiNeeds, page: Page, columns: number): string {
  const names = pages.map((one, index) => {
    const name = ` ${index + 1} ${one.name} `
    return one === page ? output.paint("inverse", `[${name.trim()}]`) : ` ${name.trim()} `
  })
  const bar = names.join("")
  const plain = stripVTControlCharacters(bar)
  return columnsOf(plain) > columns ? fitColumns(plain, columns) : bar
}

function searchLine({ page, query, isTyping }: Screen, columns: number): string[] {
  if (page.name !== "Memory") return []
  const shown =
    query === "" && !isTyping ? "/ to search; the newest are shown" : `/ ${query}${isTyping ? "▏" : ""}`
  return [fitColumns(visible(shown), columns)]
}

function bodyLines(needs: TuiNeeds, screen: Screen, { columns, lines }: Size): string[] {
  if (screen.rows.length === 0) {
    const told = screen.isLoading ? "…" : screen.page.empty
    return filled([` ${fitColumns(told, columns - 1)}`], lines)
  }
  if (columns >= wideColumns) {
    const left = Math.floor(columns * 0.5)
    const list = listLines(needs, screen, { columns: left, lines })
    const preview = previewLines(screen, { columns: columns - left - 3, lines })
    return list.map((line, index) => `${padded(line, left)} │ ${preview[index] ?? ""}`)
  }
  const below = lines >= 8 ? Math.floor(lines / 2) : 0
  const list = listLines(needs, screen, { columns, lines: lines - below })
  if (below === 0) return list
  const preview = previewLines(screen, { columns, lines: below - 1 })
  return [...list, needs.output.paint("dim", "─".repeat(columns)), ...preview]
}

function listLines({ output }: TuiNeeds, { rows, selected }: Screen, { columns, lines }: Size): string[] {
  const first = Math.max(0, Math.min(selected - Math.floor(lines / 2), rows.length - lines))
  const shown = rows.slice(first, first + lines)
  const widths = shown.reduce<number[]>(
    (found, { cells }) =>
      cells.slice(0, -1).map((cell, index) => Math.max(found[index] ?? 0, columnsOf(plainText(cell)))),
    [],
  )
  const drawn = shown.map(({ cells }, index) => {
    const last = cells.length - 1
    const texts = cells.map((cell, at) =>
      at === last ? plainText(cell) : padded(plainText(cell), Math.min(24, widths[at] ?? 0)),
    )
    const isSelected = first + index === selected
    const line = fitColumns(`${isSelected ? "›" : " "} ${texts.join("  ")}`, columns)
    return isSelected ? output.paint("inverse", padded(line, columns)) : line
  })
  return filled(drawn, lines)
}

function previewLines({ rows, selected, scrolled }: Screen, { columns, lines }: Size): string[] {
  const text = rows[selected]?.preview ?? ""
  const all = text.split("\n").flatMap((line) => wrapped(visible(stripVTControlCharacters(line)), columns))
  const from = Math.min(scrolled, Math.max(0, all.length - lines))
  return filled(all.slice(from, from + lines), lines)
}

/** A line in parts of so many columns, broken between words where it can be. */
function wrapped(line: string, columns: number): string[] {
  const parts: string[] = []
  let rest = line
  while (columnsOf(rest) > columns) {
    const cut = fitColumns(rest, columns).slice(0, -1)
    const space = cut.lastIndexOf(" ")
    const end = space > columns / 3 ? space : Math.max(1, cut.length)
    parts.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...parts, rest]
}

/** Status, queue, last cycle, next wake and each limit in three parts, always in view. */
function widgetLines(needs: TuiNeeds, status: StatusAnswer | undefined, columns: number): string[] {
  if (status === undefined) return [" …"]
  const output = { ...needs.output, width: columns }
  const box = statusBox({ output, clock: needs.clock }, status).split("\n")
  const running = status.daemon.running ? [] : [" The daemon is not running; `reverie start` starts it."]
  return [...box, ...running.map((line) => fitColumns(line, columns))]
}

function footLine({ output }: TuiNeeds, { page, rows, said, isTyping }: Screen, columns: number): string {
  const own = rows.length === 0 ? [] : page.keys.map(({ key, does }) => `${key} ${does}`)
  const search = page.name === "Memory" ? ["/ search"] : []
  const keys = isTyping
    ? ["Enter done", "Esc clear"]
    : ["q quit", "1-6 pages", "↑↓ move", ...own, ...search, "PgUp PgDn scroll", "r refresh"]
  const text = said === "" ? keys.join(" · ") : said
  return output.paint("dim", fitColumns(visible(` ${text}`), columns))
}

function plainText(cell: string): string {
  return visible(stripVTControlCharacters(cell).replaceAll(/\s+/g, " ")).trim()
}

function padded(text: string, columns: number): string {
  const plain = columnsOf(stripVTControlCharacters(text))
  return plain > columns ? fitColumns(text, columns) : text + " ".repeat(columns - plain)
}

function filled(lines: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => lines[index] ?? "")
}
