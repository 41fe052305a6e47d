import { createHash } from "node:crypto"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { stripInvisible } from "../../base/text/invisible.ts"
import {
  type MemoryScope,
  type MemorySource,
  type MemoryStatus,
  type MemoryType,
  memoryScopes,
  memorySources,
  memoryTypes,
} from "./kinds.ts"

/** One thing that Reverie knows. Times are milliseconds since 1970. */
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
  /** The id that the source of this memory uses for it, if any. */
  sourceId: string | null
  sessionId: string | null
  messageIndex: number | null
  /** When it was stated. For a session that is read later, the time of the session's message. */
  createdAt: number
  updatedAt: number
  accessedAt: number | null
  verifiedAt: number | null
  accessCount: number
  /** How many times it was stated or found, the first time included. */
  strength: number
  confidence: number
  trust: number
  /** Only members of this audience see the memory; null for everyone its scope allows. */
  audience: string | null
  /** Patterns: a query that contains one always finds the memory. * matches anything. */
  triggers: string[]
  details: MemoryDetails
}

/**
 * Optional facts about a memory: those of `detailsSchema`, and what Reverie adds. Unknown ones are absent. They are not
 * inferred from the schema, because the library's types contain them and must not need zod.
 */
export interface MemoryDetails {
  messageEnd?: number
  files?: string[]
  context?: string
  reason?: string
  steps?: string[]
  prerequisites?: string[]
  warnings?: string[]
  season?: string
  recencyWeight?: number
  notedBy?: "agent"
  basis?: string[]
  /** How many times it was rated helpful, and unhelpful. */
  helpful?: number
  unhelpful?: number
  /** Ids of memories that a person called compatible with it; a pair is compatible only if each names the other. */
  compatibleWith?: string[]
  /** Which part of a longer text it is, from 1, and of how many. */
  part?: { number: number; of: number }
  /** What a check of the repository found to be no longer true. */
  outdated?: Outdated
  /** Where it was stated again, newest last, at most `maxReinforcements`. */
  reinforcements?: Reinforcement[]
}

/** When a check found a memory to be outdated, and why, one sentence each. */
interface Outdated {
  at: number
  notes: string[]
}

/** One time a memory was stated or found again. */
export interface Reinforcement {
  at: number
  sessionId?: string
  messageIndex?: number
}

/** When a memory was last stated: the time of the turn it was learned from, or of the latest reinforcement. */
export function lastStatedAt({ createdAt, details }: Pick<Memory, "createdAt" | "details">): number {
  return Math.max(createdAt, ...(details.reinforcements ?? []).map(({ at }) => at))
}

/** At most this many reinforcements are stored; `strength` counts all. */
export const maxReinforcements = 20

/** The initial trust in each source. */
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
const time = z.union(
  [
    milliseconds,
    z
      .string()
      .transform((text) => parseTime(text))
      .pipe(milliseconds),
  ],
  "must be a time such as 2026-11-18T12:00:00Z",
)

/** Schema of a text from outside with a maximum length, cleaned so that every database can store it. */
export function shortText(longest: number) {
  return z.string().min(1).max(longest).transform(cleanText)
}

/** The optional facts that a caller may give about a memory. */
export const detailsSchema = z.object({
  /** The index of the last message it was extracted from, if there were several. */
  messageEnd: z.int().min(0).max(2_147_483_647).optional(),
  /** The files it is about. */
  files: z.array(shortText(1000)).max(100).optional(),
  /** What the conversation was about. */
  context: shortText(2000).optional(),
  /** Why it has its confidence. */
  reason: shortText(500).optional(),
  /** A procedure's parts. */
  steps: z.array(shortText(2000)).max(100).optional(),
  prerequisites: z.array(shortText(2000)).max(50).optional(),
  warnings: z.array(shortText(2000)).max(50).optional(),
  /** When it matters, such as release-week. */
  season: shortText(100).optional(),
  /** How much recent use raises its rank, 0 to 1; 0.5 by default. */
  recencyWeight: z.number().min(0).max(1).optional(),
  /** Only an agent stated it. */
  notedBy: z.literal("agent").optional(),
  /** The sources of a quarantined memory: files, addresses and texts; see basis.ts. */
  basis: z.array(shortText(100)).max(100).optional(),
})

/** The details among the fields of a memory. */
export function detailsOf(fields: z.output<typeof detailsSchema>): MemoryDetails {
  return normalizeDetails(detailsSchema.parse(fields))
}

/** Details sorted by name, without empty ones, so that equal details are stored as equal JSON. */
export function normalizeDetails(details: { [Key in keyof MemoryDetails]: MemoryDetails[Key] | undefined }) {
  const known = Object.entries(details).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1))) as MemoryDetails
}

/** The folders something is said in: their projects' configuration and .env files apply to screening. */
export const foldersSchema = z.union([shortText(4000), z.array(shortText(4000)).max(10)]).optional()

/** The input for a new memory. `project` is a folder or a name; see project.ts. */
export const newMemorySchema = z.object({
  content: z.string(),
  type: z.enum(memoryTypes).default("fact"),
  scope: z.enum(memoryScopes).optional(),
  project: shortText(4000).optional(),
  from: foldersSchema,
  tags: z.array(shortText(100)).max(50).default([]),
  source: z.enum(memorySources).default("user-stated"),
  sourceId: shortText(500).optional(),
  sessionId: shortText(500).optional(),
  messageIndex: z.int().min(0).max(2_147_483_647).optional(),
  createdAt: time.optional(),
  confidence: z.number().min(0).max(1).default(1),
  audience: shortText(200).optional(),
  triggers: z.array(shortText(200)).max(20).default([]),
  /** The ids of the memories that it was derived from. */
  derivedFrom: z.array(shortText(100)).max(50).optional(),
  /** Store it as it is: do not merge it with existing memories, and do not replace any. */
  verbatim: z.boolean().default(false),
  /** It is a guess: it stays in quarantine until another session or a person confirms it. */
  quarantined: z.boolean().default(false),
  ...detailsSchema.shape,
})

export type ParsedMemory = z.output<typeof newMemorySchema>

/** Text as it is stored: trimmed, well-formed, without NUL and invisible characters. */
export function cleanText(text: string): string {
  return stripInvisible(text.replaceAll("\u0000", "").toWellFormed()).trim()
}

/** A larger share of replacement characters means that the input is binary data. */
const maxUnreadable = 0.1

/** Whether a text contains more than spaces, control characters and replacement characters. */
export function isReadable(text: string): boolean {
  if (!/[^\p{Cc}\p{Cf}\p{Z}\s\uFFFD]/u.test(text)) return false
  const broken = text.match(/\uFFFD/g)?.length ?? 0
  return broken <= 2 || broken / text.length <= maxUnreadable
}

/** Why unreadable text is refused. */
export const unreadableReason = "it is not readable text"

/** Tags as they are stored: lower case, without # and spaces, each once, sorted. */
export function cleanTags(tags: readonly string[]): string[] {
  const clean = tags.map((tag) => cleanText(tag).toLowerCase().replace(/^#+/, "").replaceAll(/\s+/g, "-"))
  return [...new Set(clean)].filter((tag) => tag !== "").sort()
}

/**
 * Equal for two texts that differ only in case, spacing, Unicode form or a final full stop. It finds possible duplicates:
 * where capitals matter (`-d`, `-D`), compare the texts themselves.
 */
export function contentKey(content: string): string {
  const plain = content
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/(?<!\.)\.+$/, "")
  return createHash("sha256").update(plain).digest("base64url").slice(0, 22)
}
