import { createHash } from "node:crypto"
import type { z } from "zod"
import { messageOf } from "../../../base/errors.ts"
import { parseJson } from "../../../base/text/json.ts"
import type { newMemorySchema } from "../../model/memory.ts"

/** A memory of another tool, as it would be told here. */
export interface ForeignMemory {
  /** Where it stands in the file: "line 3", "item 2". */
  position: string
  /** The same whenever the same file is read. */
  sourceId: string
  given: Omit<z.input<typeof newMemorySchema>, "sourceId">
}

/** What a file of another tool holds. */
export interface Foreign {
  memories: ForeignMemory[]
  /** Pairs of source ids that belong together. */
  links: { from: string; to: string }[]
  problems: { position: string; reason: string }[]
}

/** Nothing read yet. */
export function emptyForeign(): Foreign {
  return { memories: [], links: [], problems: [] }
}

/** A value of a file, and where it stands there. */
export interface Item<T = unknown> {
  position: string
  item: T
}

/** One JSON value a line; a line that is none is a problem. */
export function jsonLines(lines: readonly string[], foreign: Foreign): Item[] {
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return []
    const position = `line ${index + 1}`
    try {
      return [{ position, item: parseJson(line) }]
    } catch (error) {
      foreign.problems.push({ position, reason: messageOf(error) })
      return []
    }
  })
}

/** A short identity for what these texts say together. */
export function sourceIdOf(tool: string, ...texts: string[]): string {
  return `${tool}:${createHash("sha256").update(texts.join("\n")).digest("base64url").slice(0, 22)}`
}

/** Takes out of a text what may not be kept. */
export type Redact = (text: string) => string

/**
 * A text as a tag: words joined by hyphens, at most 100 characters; undefined if there is no word in it. What may not be
 * kept is taken out first, since nobody would know it again afterwards.
 */
export function tagFrom(redact: Redact, text: string): string | undefined {
  const words =
    redact(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return words.length === 0 ? undefined : words.join("-").slice(0, 100)
}
