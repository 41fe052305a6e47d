import { availableParallelism } from "node:os"
import type { Figure } from "./figures.ts"

/** The figures for programs: one JSON object. */
export function reportJson(name: string, figures: readonly Figure[]): string {
  const machine = { cores: availableParallelism(), node: process.versions.node }
  return JSON.stringify({ schemaVersion: 1, name, machine, figures: figures.map(rounded) })
}

function rounded(figure: Figure): Figure {
  const round = (value: number) => Number(value.toPrecision(5))
  const { baseline, interval, ...rest } = figure
  const between = interval ? { interval: interval.map(round) as [number, number] } : {}
  const own = { ...rest, ...between, value: round(figure.value) }
  return baseline ? { ...own, baseline: { ...baseline, value: round(baseline.value) } } : own
}

/** The figures for people: one line each, with what was measured beside them and how they compare. */
export function reportTable(name: string, figures: readonly Figure[]): string {
  const head = ["figure", "value", "unit", "better", "baseline", "ratio", "baseline is"]
  const isCounted = figures.some(({ rows }) => rows !== undefined)
  const more = isCounted ? ["rows", "95 % interval"] : []
  const lines = columns([
    [...head, ...more],
    ...figures.map((figure) => [...cells(figure), ...(isCounted ? counted(figure) : [])]),
  ])
  const machine = `${availableParallelism()} cores, Node ${process.versions.node}`
  return [`${name} (${machine})`, "", ...lines].join("\n")
}

function cells({ id, value, unit, better, baseline }: Figure): string[] {
  const own = [id, short(value), unit, better]
  if (baseline === undefined) return [...own, "", "", ""]
  const ratio = baseline.value === 0 ? "" : `${short(value / baseline.value)}×`
  return [...own, short(baseline.value), ratio, baseline.name]
}

function counted({ rows, interval }: Figure): string[] {
  return [rows?.toLocaleString("en-US") ?? "", interval ? interval.map(short).join(" to ") : ""]
}

function short(value: number): string {
  return value >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3)
}

const numeric = new Set([1, 4, 5])

function columns(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) =>
    numeric.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(pad).join("  ").trimEnd())
}
