import { createHash } from "node:crypto"
import { z } from "zod"
import { parseTime } from "../base/clock.ts"
import {
  type MemoryScope,
  type MemorySource,
  type MemoryStatus,
  type MemoryType,
  memoryScopes,
  memorySources,
  memoryTypes,
} from "./kinds.ts"

/** One thing known. Times are milliseconds since 1970. */
export interface Memory {
  id: string
  /** Grows with every change; a change that expected another version is refused. */
  version: number
  content: string
  type: MemoryType
  scope: MemoryScope
  /** The project's id; null for global memories. */
  project: string | null
  tags: string[]
  status: MemoryStatus
  supersededBy: string | null
  source: MemorySource
  /** The identity the giver of this memory uses for it, if any. */
  sourceId: string | null
  sessionId: string | null
  messageIndex: number | null
  createdAt: number
  updatedAt: number
  accessedAt: number | null
  verifiedAt: number | null
  accessCount: number
  /** How many times it was said or found again, itself included. */
  strength: number
  confidence: number
  trust: number
}

/** How far a source is believed before anything else is known. */
export const trustOf: Record<MemorySource, number> = {
  "user-corrected": 1,
  "user-stated": 0.9,
  observed: 0.7,
  extracted: 0.6,
  inferred: 0.5,
}

/** The years 1970 to 9999, in milliseconds. */
const milliseconds = z.int().min(0).max(253_402_300_799_999)
/** A moment as milliseconds, or as ISO text. */
const time = z.union([
  milliseconds,
  z
    .string()
    .transform((text) => parseTime(text))
    .pipe(milliseconds),
])

/** A short text that comes from outside, as every database can keep it. */
function label(longest: number) {
  return z.string().min(1).max(longest).transform(cleanText)
}

/** What a caller gives to have something remembered. `project` is a folder or a name; see project.ts. */
export const newMemorySchema = z.object({
  content: z.string(),
  type: z.enum(memoryTypes).default("fact"),
  scope: z.enum(memoryScopes).optional(),
  project: label(4000).optional(),
  /** The folder it is said in: that project's configuration applies, wherever the memory belongs. */
  from: label(4000).optional(),
  tags: z.array(label(100)).max(50).default([]),
  source: z.enum(memorySources).default("user-stated"),
  sourceId: label(500).optional(),
  sessionId: label(500).optional(),
  messageIndex: z.int().min(0).max(2_147_483_647).optional(),
  createdAt: time.optional(),
})

export type CheckedMemory = z.output<typeof newMemorySchema>

/** Text as it is stored: no NUL, no halves of characters, no space around it. */
export function cleanText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed().trim()
}

/** Tags as they are stored: lower case, without # and spaces, each once, in order of the alphabet. */
export function cleanTags(tags: readonly string[]): string[] {
  const clean = tags.map((tag) => cleanText(tag).toLowerCase().replace(/^#+/, "").replaceAll(/\s+/g, "-"))
  return [...new Set(clean)].filter((tag) => tag !== "").sort()
}

/** The same for two texts that differ only in case, spacing, Unicode form or a full stop at the end. */
export function contentKey(content: string): string {
  const plain = content.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim().replace(/\.+$/, "")
  return createHash("sha256").update(plain).digest("base64url").slice(0, 22)
}
