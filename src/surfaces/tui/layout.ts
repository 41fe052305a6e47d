import { stripVTControlCharacters } from "node:util"
import type { Answer } from "../../api/contract/answers.ts"
import { columnsOf, fitColumns } from "../../base/text/columns.ts"
import { escapeControls } from "../../base/text/text.ts"
import { statusBox } from "../cli/view/status-box.ts"
import type { TuiNeeds } from "./needs.ts"
import { type Page, pages, type Row } from "./pages.ts"

/** Everything that the screen shows. */
export interface Screen {
  page: Page
  rows: readonly Row[]
  selected: number
  /** The selected row is gone: no key acts on the row in its place before the user moves. */
  isGone: boolean
  /** The first visible line of the preview. */
  scrolled: number
  query: string
  isTyping: boolean
  /** Whether the rows are still loading. */
  isLoading: boolean
  status: Answer<"status"> | undefined
  /** The last message or error. */
  said: string
  /** Whether the keys are shown instead of the list. */
  isHelp: boolean
}

/** The row that keys act on. */
export function chosenRow({ rows, selected, isGone }: Screen): Row | undefined {
  return isGone ? undefined : rows[selected]
}

interface Size {
  columns: number
  lines: number
}

/** From this width on, the preview is next to the list, else below it. */
const wideColumns = 100

/** The screen as lines that fit the terminal: pages, list and preview, the status box, the keys. */
export function drawScreen(needs: TuiNeeds, screen: Screen, { columns, lines }: Size): string[] {
  const widget = widgetLines(needs, screen.status, columns)
  const head = [pageBar(needs, screen.page, columns), ...searchLine(screen, columns)]
  const foot = [footLine(needs, screen, columns)]
  // On a very low screen the list shrinks first.
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
  return [fitColumns(escapeControls(shown), columns)]
}

function bodyLines(needs: TuiNeeds, screen: Screen, { columns, lines }: Size): string[] {
  if (screen.isHelp) {
    const all = helpLines()
    const from = Math.min(screen.scrolled, Math.max(0, all.length - lines))
    return filled(
      all.slice(from, from + lines).map((line) => fitColumns(line, columns)),
      lines,
    )
  }
  if (screen.rows.length === 0) {
    const text = screen.isLoading ? "…" : screen.page.empty
    return filled([` ${fitColumns(text, columns - 1)}`], lines)
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

function listLines({ output }: TuiNeeds, screen: Screen, { columns, lines }: Size): string[] {
  const { rows, selected } = screen
  const chosen = chosenRow(screen)
  const first = Math.max(0, Math.min(selected - Math.floor(lines / 2), rows.length - lines))
  const shown = rows.slice(first, first + lines)
  const widths = shown.reduce<number[]>(
    (found, { cells }) =>
      cells.slice(0, -1).map((cell, index) => Math.max(found[index] ?? 0, columnsOf(plainText(cell)))),
    [],
  )
  const drawn = shown.map((row) => {
    const { cells } = row
    const last = cells.length - 1
    const texts = cells.map((cell, at) =>
      at === last ? plainText(cell) : padded(plainText(cell), Math.min(24, widths[at] ?? 0)),
    )
    const isSelected = row === chosen
    const line = fitColumns(`${isSelected ? "›" : " "} ${texts.join("  ")}`, columns)
    return isSelected ? output.paint("inverse", padded(line, columns)) : line
  })
  return filled(drawn, lines)
}

function previewLines(screen: Screen, { columns, lines }: Size): string[] {
  const { scrolled } = screen
  const text = chosenRow(screen)?.preview ?? ""
  const all = text
    .split("\n")
    .flatMap((line) => wrapped(escapeControls(stripVTControlCharacters(line)), columns))
  const from = Math.min(scrolled, Math.max(0, all.length - lines))
  return filled(all.slice(from, from + lines), lines)
}

/** Breaks a line into parts of at most `columns`, between words if possible. */
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

/** The status box, always in view. */
function widgetLines(needs: TuiNeeds, status: Answer<"status"> | undefined, columns: number): string[] {
  if (status === undefined) return [" …"]
  const output = { ...needs.output, width: columns }
  const box = statusBox({ ...needs, output }, status).split("\n")
  const running = status.daemon.running ? [] : [" The daemon is not running; `reverie start` starts it."]
  return [...box, ...running.map((line) => fitColumns(line, columns))]
}

function footLine({ output }: TuiNeeds, screen: Screen, columns: number): string {
  const text = screen.said === "" ? keysNow(screen).join(" · ") : screen.said
  return output.paint("dim", fitColumns(escapeControls(` ${text}`), columns))
}

/** The keys that work now, the most important first. */
function keysNow(screen: Screen): string[] {
  const { page, isTyping, isHelp } = screen
  if (isTyping) return ["Enter done", "Esc clear"]
  if (isHelp) return ["q quit", "? or Esc back", "1-6 pages", "PgUp PgDn scroll"]
  const own = (chosenRow(screen)?.keys ?? []).map(({ key, does }) => `${key} ${does}`)
  const search = page.name === "Memory" ? ["/ search"] : []
  return ["q quit", "? keys", ...own, ...search, "1-6 pages", "↑↓ move", "PgUp PgDn scroll"]
}

/** Keys that work on every page. */
const everywhere = [
  ["1-6, Tab", "change the page"],
  ["↑ ↓, k j", "move; g and G: to the first, to the last"],
  ["PgUp PgDn", "scroll the preview"],
  ["/", "search the memory"],
  ["r", "reload now"],
  ["Esc", "clear the search"],
  ["q", "quit"],
] as const

/** All keys: those that work everywhere, and those for the selected item of a page. */
function helpLines(): string[] {
  const line = (name: string, text: string) => `  ${padded(name, 10)} ${text}`
  const own = pages
    .filter(({ keys }) => keys.length > 0)
    .map(({ name, keys }) => line(name, keys.map(({ key, does }) => `${key} ${does}`).join(" · ")))
  return [
    " Everywhere",
    ...everywhere.map(([key, does]) => line(key, does)),
    " For the selected item",
    ...own,
  ]
}

function plainText(cell: string): string {
  return escapeControls(stripVTControlCharacters(cell).replaceAll(/\s+/g, " ")).trim()
}

function padded(text: string, columns: number): string {
  const plain = columnsOf(stripVTControlCharacters(text))
  return plain > columns ? fitColumns(text, columns) : text + " ".repeat(columns - plain)
}

function filled(lines: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => lines[index] ?? "")
}
