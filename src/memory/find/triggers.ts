import { type Sql, sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** A memory with a trigger pattern that matched. */
export interface Triggered {
  id: string
  pattern: string
}

/** At most this many memories with patterns are checked, the newest first. */
const maxChecked = 2000
const maxTriggered = 5

/** The memories whose patterns occur in a text, ignoring case; * matches anything within a line. */
export async function findTriggered(on: Reader, where: Sql, text: string): Promise<Triggered[]> {
  const rows = await on.read<{ id: string; triggers: string }>(sql`
    select m.id as id, m.triggers as triggers from memories m
    where m.triggers is not null and ${where} order by m.seq desc limit ${maxChecked}`)
  const found: Triggered[] = []
  for (const { id, triggers } of rows) {
    const pattern = (JSON.parse(triggers) as string[]).find((one) => occursIn(one, text))
    if (pattern !== undefined) found.push({ id, pattern })
    if (found.length >= maxTriggered) break
  }
  return found
}

/**
 * Whether a pattern occurs in a line of a text: `a*b` is a, then b; `a & b` is both in any order. A pattern that begins or
 * ends with a letter or digit matches only at a word boundary.
 */
export function occursIn(pattern: string, text: string): boolean {
  const all = pattern.toLowerCase().split(" & ").map(partsOf)
  if (all.some(({ parts }) => parts.length === 0)) return false
  return text
    .toLowerCase()
    .split("\n")
    .some((line) => all.every(({ parts, piece }) => matches(parts, piece, line)))
}

function partsOf(piece: string): { piece: string; parts: string[] } {
  return { piece, parts: piece.split("*").filter((part) => part !== "") }
}

/** Finds the parts in order. The time is linear in the length of the line for every pattern. */
function matches(parts: readonly string[], pattern: string, line: string): boolean {
  const [first = ""] = parts
  for (let start = line.indexOf(first); start !== -1; start = line.indexOf(first, start + 1)) {
    if (!pattern.startsWith("*") && isWordChar(line[start - 1]) && isWordChar(first[0])) continue
    if (parts.length === 1) {
      if (isValidEnd(pattern, line, start + first.length)) return true
      // A later start would find the rest only later, so one attempt is enough.
    } else return restMatches(parts.slice(1), pattern, line, start + first.length)
  }
  return false
}

/** Whether the other parts follow, each at its earliest position; only the last may need a later one to end validly. */
function restMatches(parts: readonly string[], pattern: string, line: string, from: number): boolean {
  const last = parts.at(-1) ?? ""
  let end = from
  for (const part of parts.slice(0, -1)) {
    const at = line.indexOf(part, end)
    if (at === -1) return false
    end = at + part.length
  }
  for (let at = line.indexOf(last, end); at !== -1; at = line.indexOf(last, at + 1)) {
    if (isValidEnd(pattern, line, at + last.length)) return true
  }
  return false
}

function isValidEnd(pattern: string, line: string, end: number): boolean {
  return pattern.endsWith("*") || !(isWordChar(line[end]) && isWordChar(line[end - 1]))
}

function isWordChar(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}_]/u.test(char)
}
