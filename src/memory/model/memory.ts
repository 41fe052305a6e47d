import { createHash } from "node:crypto"
import { z } from "zod"
import { parseTime } from "../../base/clock.ts"
import { withoutUnseen } from "../../base/text/unseen.ts"
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
  /** When it was said, as far as that is known: a session read late tells what was said then. */
  createdAt: number
  updatedAt: number
  accessedAt: number | null
  verifiedAt: number | null
  accessCount: number
  /** How many times it was said or found again, itself included. */
  strength: number
  confidence: number
  trust: number
  /** Only who belongs to it may see the memory; null for everyone its scope allows. */
  audience: string | null
  /** Words that bring it up whenever they occur in what is asked; * stands for anything. */
  triggers: string[]
  details: MemoryDetails
}

/** What is known about a memory beyond its text and standing. What is not known is left out. */
export interface MemoryDetails {
  /** The last message it was taken from, if there were several. */
  messageEnd?: number
  /** The files it is about. */
  files?: string[]
  /** What was being talked about. */
  context?: string
  /** Why it is believed as much as it is. */
  reason?: string
  /** A procedure's parts. */
  steps?: string[]
  prerequisites?: string[]
  warnings?: string[]
  /** When it matters, such as release-week. */
  season?: string
  /** How much recent use lifts it, 0 to 1; a half if left out. */
  recencyWeight?: number
  /** How many times it was called helpful, and not. */
  helpful?: number
  unhelpful?: number
  /** Memories that a person said it can stand beside; it holds for a pair only where each names the other. */
  compatibleWith?: string[]
  /** Which part of a longer text it is, from 1, and of how many. */
  part?: { number: number; of: number }
  /** What a look at the repository found to be no longer so. */
  outdated?: Outdated
  /** It is known from an agent's word alone. */
  notedBy?: "agent"
  /** What it rests on while it is only supposed: files, addresses and texts; see basis.ts. */
  basis?: string[]
  /** Where it was said again, newest last; only the newest are kept. */
  reinforcements?: Reinforcement[]
}

/** When it was found that a memory no longer holds, and what is the matter, a sentence each. */
interface Outdated {
  at: number
  notes: string[]
}

/** One time a memory was said or found again. */
export interface Reinforcement {
  at: number
  sessionId?: string
  messageIndex?: number
}

/** When a memory was last said: the turn it was learned from, or the latest one that said it again. */
export function lastSaid({ createdAt, details }: Pick<Memory, "createdAt" | "details">): number {
  return Math.max(createdAt, ...(details.reinforcements ?? []).map(({ at }) => at))
}

/** How many reinforcements are kept one by one; strength counts all. */
export const reinforcementsKept = 20

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
export function label(longest: number) {
  return z.string().min(1).max(longest).transform(cleanText)
}

/** What a caller may tell about a memory beyond its text. */
export const detailsGiven = z.object({
  messageEnd: z.int().min(0).max(2_147_483_647).optional(),
  files: z.array(label(1000)).max(100).optional(),
  context: label(2000).optional(),
  reason: label(500).optional(),
  steps: z.array(label(2000)).max(100).optional(),
  prerequisites: z.array(label(2000)).max(50).optional(),
  warnings: z.array(label(2000)).max(50).optional(),
  season: label(100).optional(),
  recencyWeight: z.number().min(0).max(1).optional(),
  notedBy: z.literal("agent").optional(),
  basis: z.array(label(100)).max(100).optional(),
})

/** The details of what was given. */
export function detailsOf(given: z.output<typeof detailsGiven>): MemoryDetails {
  return tidyDetails(detailsGiven.parse(given))
}

/** Details in one order, each only if it says something: equal details are equal texts. */
export function tidyDetails(details: { [Key in keyof MemoryDetails]: MemoryDetails[Key] | undefined }) {
  const known = Object.entries(details).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1))) as MemoryDetails
}

/** The folders something is said in: their projects' configuration and .env files hold, wherever it belongs. */
export const saidFrom = z.union([label(4000), z.array(label(4000)).max(10)]).optional()

/** What a caller gives to have something remembered. `project` is a folder or a name; see project.ts. */
export const newMemorySchema = z.object({
  content: z.string(),
  type: z.enum(memoryTypes).default("fact"),
  scope: z.enum(memoryScopes).optional(),
  project: label(4000).optional(),
  from: saidFrom,
  tags: z.array(label(100)).max(50).default([]),
  source: z.enum(memorySources).default("user-stated"),
  sourceId: label(500).optional(),
  sessionId: label(500).optional(),
  messageIndex: z.int().min(0).max(2_147_483_647).optional(),
  createdAt: time.optional(),
  confidence: z.number().min(0).max(1).default(1),
  audience: label(200).optional(),
  triggers: z.array(label(200)).max(20).default([]),
  /** The ids of memories that it was concluded from. */
  derivedFrom: z.array(label(100)).max(50).optional(),
  /** It is stored as it is: never merged with, and never replacing, what is there. */
  verbatim: z.boolean().default(false),
  /** It is only supposed: it waits in quarantine until another session or a person bears it out. */
  quarantined: z.boolean().default(false),
  ...detailsGiven.shape,
})

export type CheckedMemory = z.output<typeof newMemorySchema>

/** Text as it is stored: no NUL, no halves of characters, nothing that nobody sees, no space around it. */
export function cleanText(text: string): string {
  return withoutUnseen(text.replaceAll("\u0000", "").toWellFormed()).trim()
}

/** Of a text, more than this part that cannot be read means that it is no text but the bytes of something else. */
const mostUnreadable = 0.1

/** Whether there is anything to read in a text: more than space, control signs and what was unreadable before. */
export function isReadable(text: string): boolean {
  if (!/[^\p{Cc}\p{Cf}\p{Z}\s\uFFFD]/u.test(text)) return false
  const broken = text.match(/\uFFFD/g)?.length ?? 0
  return broken <= 2 || broken / text.length <= mostUnreadable
}

/** Why a text that nobody can read is not remembered. */
export const unreadable = "it is not readable text"

/** Tags as they are stored: lower case, without # and spaces, each once, in order of the alphabet. */
export function cleanTags(tags: readonly string[]): string[] {
  const clean = tags.map((tag) => cleanText(tag).toLowerCase().replace(/^#+/, "").replaceAll(/\s+/g, "-"))
  return [...new Set(clean)].filter((tag) => tag !== "").sort()
}

/**
 * The same for two texts that differ only in case, spacing, Unicode form or a full stop at the end. It only finds what may
 * be the same: where capitals matter (`-d`, `-D`), the texts themselves tell.
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
