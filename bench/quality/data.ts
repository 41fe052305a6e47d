import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { UserError } from "../../src/base/errors.ts"

/** The files in a folder whose names end in one of these, in the order of their names. */
export function dataFiles(folder: string, endings: readonly string[]): string[] {
  const names = readdirSync(folder).filter((name) => endings.some((ending) => name.endsWith(ending)))
  if (names.length > 0) return names.toSorted().map((name) => join(folder, name))
  const wanted = endings.map((ending) => `*${ending}`).join(" or ")
  throw new UserError(
    "not-found",
    `The data this benchmark measures with is not complete: there is no ${wanted} in ${folder}.`,
  )
}

/** The values in a file of JSON, of an array of them, or of one on each line. */
export function readValues(file: string): unknown[] {
  const bytes = readFileSync(file)
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
  if (/\.jsonl(\.gz)?$/.test(file)) {
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line): unknown => JSON.parse(line))
  }
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value : [value]
}

/** That many of the values, evenly spaced, in their order; all without a number. */
export function sampleOf<T>(values: readonly T[], count: number | undefined): T[] {
  if (count === undefined || count >= values.length) return [...values]
  return values.filter(
    (_, index) =>
      Math.floor((index * count) / values.length) !== Math.floor(((index - 1) * count) / values.length),
  )
}
