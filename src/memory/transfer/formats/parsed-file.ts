import { createHash } from "node:crypto"
import type { z } from "zod"
import { messageOf } from "../../../base/errors.ts"
import { parseJson } from "../../../base/text/json.ts"
import type { newMemorySchema } from "../../model/memory.ts"

/** A memory of another tool, as input for `remember`. */
export interface FileMemory {
  /** Its place in the file, for messages: "line 3", "item 2". */
  position: string
  /** The same whenever the same file is read. */
  sourceId: string
  fields: Omit<z.input<typeof newMemorySchema>, "sourceId">
}

/** The content of another tool's file. */
export interface ParsedFile {
  memories: FileMemory[]
  /** Pairs of source ids that the tool links. */
  links: { from: string; to: string }[]
  problems: { position: string; reason: string }[]
}

export function emptyFile(): ParsedFile {
  return { memories: [], links: [], problems: [] }
}

/** A JSON value of a file, and its place there. */
export interface FileItem<T = unknown> {
  position: string
  item: T
}

/** Reads one JSON value per line; adds a problem for each line that is none. */
export function jsonLines(lines: readonly string[], file: ParsedFile): FileItem[] {
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return []
    const position = `line ${index + 1}`
    try {
      return [{ position, item: parseJson(line) }]
    } catch (error) {
      file.problems.push({ position, reason: messageOf(error) })
      return []
    }
  })
}

/** An id that is the same for the same texts. */
export function sourceIdOf(tool: string, ...texts: string[]): string {
  return `${tool}:${createHash("sha256").update(texts.join("\n")).digest("base64url").slice(0, 22)}`
}

/** Removes secrets and personal data from a text. */
export type Redact = (text: string) => string

/**
 * A text as a tag: words joined by hyphens, at most 100 characters; undefined if it has no word. Redacts first, since the
 * screen would not recognise a secret in the result.
 */
export function tagFrom(redact: Redact, text: string): string | undefined {
  const words =
    redact(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return words.length === 0 ? undefined : words.join("-").slice(0, 100)
}
