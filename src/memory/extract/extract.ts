import { shorten } from "../../base/text/text.ts"
import { termsOf } from "../../language/terms.ts"
import type { Models } from "../../llm/choice/models.ts"
import type { Turn } from "../../sessions/turn.ts"
import type { By } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { newMemorySchema } from "../model/memory.ts"
import { wordOverlap } from "../model/words/comparable-text.ts"
import type { Question } from "../write/gaps.ts"
import { configFor, type MemoryWriteCore } from "../write/prepare.ts"
import type { Remembered } from "../write/remember.ts"
import { rememberTogether } from "../write/remember-together.ts"
import type { Claim } from "./claim.ts"
import { basisOf } from "./evidence.ts"
import { readByModel } from "./read-by-model.ts"
import { readUserTurns } from "./read-user-turns.ts"

export interface ExtractCore extends MemoryWriteCore {
  /** Without models, only rules read. */
  models?: Models | undefined
}

export interface SessionPart {
  session: string
  /** The folder or name of the project it is about. */
  project?: string | undefined
  turns: readonly Turn[]
  /** The first unread position; earlier turns are only context. */
  from?: number
  gaps?: readonly Question[]
  /** Earlier turns of tools and the user, read only where a claim has to be traced back. */
  earlier?(): Promise<readonly Turn[]>
  signal?: AbortSignal
  /** Whether the user asked for it. */
  isAsked?: boolean | undefined
  /** The cycle that pays for it, if one does. */
  cycle?: string | undefined
  /** Rules have read it before: only what a model finds beyond that is returned. */
  byModelOnly?: boolean | undefined
}

/** What was found, before anything is written. */
export interface Findings {
  claims: Claim[]
  /** "rules", or the name of the model that also read it. */
  by: string
  /** Why no model read it although one should have. */
  note?: string
  /** The number of notes that the session did not support. */
  dropped: number
  /** A model should read it too, but has to wait for the budget or its provider. */
  isWaiting?: boolean
}

export interface Learned {
  claim: Claim
  outcome: Remembered["outcome"]
  id?: string
  reason?: string
}

/** Reads part of a session by rules, and by a model if one is available. */
export async function findClaims(needs: ExtractCore, part: SessionPart): Promise<Findings> {
  const { from = 0, gaps = [], turns } = part
  const config = await configFor(needs, [part.project])
  if (!config.memory.enabled || !config.extraction.enabled) {
    return { claims: [], by: "rules", dropped: 0, note: "remembering or extraction is switched off here" }
  }
  const most = config.extraction.most_memories
  const found = await readUserTurns(needs, turns, from)
  const ruleClaims = found.byRules.slice(0, most)
  const mayAsk = config.extraction.use_model && config.models.provider !== "none" && hasWords(turns, from)
  const cause = part.isAsked ? "asked" : "own"
  const choice = mayAsk ? await needs.models?.choose("extraction", cause) : undefined
  // A language model that reads everything is a better judge than the trained model alone.
  const all = [...ruleClaims, ...found.sure, ...found.tentative].slice(0, most)
  const byRules = { claims: part.byModelOnly ? [] : all, by: "rules", dropped: 0 }
  if (needs.models === undefined || !choice?.chosen) {
    const isWaiting = choice?.candidates.some((one) => one.isWaiting) ?? false
    return isWaiting ? { ...byRules, isWaiting } : byRules
  }
  const signal = part.signal ?? new AbortController().signal
  const read = await readByModel(
    needs.models,
    { turns, from, gaps },
    { most, signal, cause, cycle: part.cycle ?? null },
  )
  if (read.outcome === "failed") return { ...byRules, note: read.why }
  const more = read.claims.filter((claim) => !ruleClaims.some((other) => isAlike(claim, other)))
  const claims = part.byModelOnly
    ? more.slice(0, Math.max(0, most - ruleClaims.length))
    : [...ruleClaims, ...more]
  return { claims: claims.slice(0, most), by: read.model, dropped: read.dropped }
}

/** Whether the user wrote enough to ask a model. */
function hasWords(turns: readonly Turn[], from: number): boolean {
  return turns.some(
    ({ role, position, text }) => role === "user" && position >= from && text.trim().length > 20,
  )
}

/** Claims that share half of their words are the same; the one from rules is used. */
function isAlike(a: Claim, b: Claim): boolean {
  return wordOverlap(new Set(termsOf(a.content)), new Set(termsOf(b.content))) >= 0.5
}

/**
 * Reads part of a session and remembers what it says, as one operation with `along` in its transaction. Undefined if
 * nothing may be written.
 */
export async function extractTurns(
  needs: ExtractCore,
  part: SessionPart,
  by: By,
  along: ExtractHooks,
): Promise<(Findings & { learned: Learned[] }) | undefined> {
  const findings = await findClaims(needs, part)
  const { claims } = findings
  const earlier = claims.some(({ quarantined }) => quarantined) ? ((await part.earlier?.()) ?? []) : []
  const memories = claims.map((claim) => memoryOf(claim, part, earlier))
  const outcomes = await rememberTogether(needs, memories, by, {
    mayWrite: (transaction) => along.mayWrite(transaction, findings),
    after: (transaction, some) => along.after(transaction, findings, learnedFrom(claims, some)),
  })
  return outcomes && { ...findings, learned: learnedFrom(claims, outcomes) }
}

/** Work in the same transaction. */
interface ExtractHooks {
  mayWrite(transaction: Transaction, findings: Findings): Promise<boolean>
  after(transaction: Transaction, findings: Findings, learned: readonly Learned[]): Promise<void>
}

/** The outcome of each claim; refused ones come last. */
function learnedFrom(claims: readonly Claim[], outcomes: readonly Remembered[]): Learned[] {
  const learned = claims.flatMap((claim, index): Learned[] => {
    const one = outcomes[index]
    if (one === undefined) return []
    const { outcome, reason } = one
    const id = "id" in one ? { id: one.id } : {}
    return [{ claim, outcome, ...id, ...(reason ? { reason } : {}) }]
  })
  const isRefused = ({ outcome }: Learned) => outcome === "refused"
  return [...learned.filter((one) => !isRefused(one)), ...learned.filter(isRefused)]
}

const contextLength = 300

function memoryOf(claim: Claim, { session, project, turns }: SessionPart, earlier: readonly Turn[]) {
  const { from, to, quarantined, isOwnWords } = claim
  const own = turns.filter(({ position }) => position >= from && position <= to)
  const users = own.filter(({ role }) => role === "user").map(({ text }) => text)
  const isTraced = quarantined === true && isOwnWords !== true
  return newMemorySchema.parse({
    ...claim,
    from: undefined,
    sessionId: session,
    messageIndex: from,
    messageEnd: to > from ? to : undefined,
    createdAt: turns.find(({ position }) => position === to)?.at,
    project,
    files: [...new Set(own.flatMap((turn) => turn.files ?? []))].slice(0, 10),
    context: shorten(users.join(" … ") || own.map(({ text }) => text).join(" … "), contextLength),
    basis: isTraced ? basisOf(claim.content, [...earlier, ...turns], to) : undefined,
  })
}
