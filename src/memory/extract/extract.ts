import { shorten } from "../../base/text/text.ts"
import { termsOf } from "../../language/terms.ts"
import type { Models } from "../../llm/choice/models.ts"
import type { Turn } from "../../sessions/turn.ts"
import type { By } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { newMemorySchema } from "../model/memory.ts"
import { sharedWords } from "../model/words/wording.ts"
import type { Question } from "../write/gaps.ts"
import { configFor, type RememberNeeds } from "../write/prepare.ts"
import type { Remembered } from "../write/remember.ts"
import { rememberTogether } from "../write/remember-together.ts"
import type { Claim } from "./claim.ts"
import { hearTurns } from "./hear-turns.ts"
import { readByModel } from "./read-by-model.ts"
import { basisOf } from "./rests-on.ts"

export interface ExtractNeeds extends RememberNeeds {
  /** Without one, rules alone read. */
  models?: Models | undefined
}

/** Part of a session to be read. */
export interface SessionPart {
  session: string
  /** The folder or name of the project it is about. */
  project?: string | undefined
  turns: readonly Turn[]
  /** The first position that was not read before; the turns before it are only context. */
  from?: number
  gaps?: readonly Question[]
  /** What tools and the person said before these turns, where a claim has to be traced back so far. */
  earlier?(): Promise<readonly Turn[]>
  signal?: AbortSignal
  /** Whether a person asked for it. */
  isAsked?: boolean | undefined
  /** The cycle that reads it, where one does: what it costs is on its bill. */
  cycle?: string | undefined
  /** Rules have read it before: only what a model finds beyond that is told. */
  byModelOnly?: boolean | undefined
}

/** What was found in part of a session, before anything is written. */
export interface Findings {
  claims: Claim[]
  /** "rules", or the name of the model that read it too. */
  by: string
  /** Why no model read it although one should have. */
  note?: string
  /** How many notes of the model the session did not bear out. */
  dropped: number
  /** A model should read it too, and has to wait: for the budget, or for its provider. */
  isWaiting?: boolean
}

/** One claim and what became of it. */
export interface Learned {
  claim: Claim
  outcome: Remembered["outcome"]
  id?: string
  reason?: string
}

/** Reads part of a session: by rules, and by a model where one may be asked. */
export async function findClaims(needs: ExtractNeeds, part: SessionPart): Promise<Findings> {
  const { from = 0, gaps = [], turns } = part
  const config = await configFor(needs, [part.project])
  if (!config.memory.enabled || !config.extraction.enabled) {
    return { claims: [], by: "rules", dropped: 0, note: "remembering or extraction is switched off here" }
  }
  const most = config.extraction.most_memories
  const heard = await hearTurns(needs, turns, from)
  const told = heard.told.slice(0, most)
  const mayAsk = config.extraction.use_model && config.models.provider !== "none" && hasWords(turns, from)
  const cause = part.isAsked ? "asked" : "own"
  const choice = mayAsk ? await needs.models?.choose("extraction", cause) : undefined
  // A model that reads it all is a better judge than the trained model alone.
  const all = [...told, ...heard.sure, ...heard.supposed].slice(0, most)
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
  const more = read.claims.filter((claim) => !told.some((other) => isAlike(claim, other)))
  const claims = part.byModelOnly ? more.slice(0, Math.max(0, most - told.length)) : [...told, ...more]
  return { claims: claims.slice(0, most), by: read.model, dropped: read.dropped }
}

/** A person said something that is long enough to teach anything; otherwise a model need not be asked. */
function hasWords(turns: readonly Turn[], from: number): boolean {
  return turns.some(
    ({ role, position, text }) => role === "user" && position >= from && text.trim().length > 20,
  )
}

/** Two claims that share half of their words are taken for one: what the rules found stands. */
function isAlike(a: Claim, b: Claim): boolean {
  return sharedWords(new Set(termsOf(a.content)), new Set(termsOf(b.content))) >= 0.5
}

/**
 * Reads part of a session and remembers what it tells, as one operation; `along` goes into the same transaction. Undefined
 * where that wrote nothing.
 */
export async function extractTurns(
  needs: ExtractNeeds,
  part: SessionPart,
  by: By,
  along: AlongFindings,
): Promise<(Findings & { learned: Learned[] }) | undefined> {
  const findings = await findClaims(needs, part)
  const { claims } = findings
  const earlier = claims.some(({ quarantined }) => quarantined) ? ((await part.earlier?.()) ?? []) : []
  const memories = claims.map((claim) => memoryOf(claim, part, earlier))
  const told = await rememberTogether(needs, memories, by, {
    mayWrite: (transaction) => along.mayWrite(transaction, findings),
    after: (transaction, some) => along.after(transaction, findings, learnedFrom(claims, some)),
  })
  return told && { ...findings, learned: learnedFrom(claims, told) }
}

/** What else belongs into the transaction, knowing what was found and what becomes of it. */
interface AlongFindings {
  mayWrite(transaction: Transaction, findings: Findings): Promise<boolean>
  after(transaction: Transaction, findings: Findings, learned: readonly Learned[]): Promise<void>
}

/** What became of each claim; those that were refused come last. */
function learnedFrom(claims: readonly Claim[], told: readonly Remembered[]): Learned[] {
  const learned = claims.flatMap((claim, index): Learned[] => {
    const one = told[index]
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
  const { content, type, source, confidence, steps, triggers, quarantined, isOwnWords, from, to, reason } =
    claim
  const saidAt = turns.find(({ position }) => position === to)?.at
  const own = turns.filter(({ position }) => position >= from && position <= to)
  const said = own.filter(({ role }) => role === "user").map(({ text }) => text)
  const files = [...new Set(own.flatMap((turn) => turn.files ?? []))].slice(0, 10)
  return newMemorySchema.parse({
    content,
    type,
    source,
    confidence,
    sessionId: session,
    messageIndex: from,
    ...(saidAt === undefined ? {} : { createdAt: saidAt }),
    ...(to > from ? { messageEnd: to } : {}),
    ...(project === undefined ? {} : { project }),
    ...(files.length > 0 ? { files } : {}),
    context: shorten(said.join(" … ") || own.map(({ text }) => text).join(" … "), contextLength),
    reason,
    ...(steps ? { steps } : {}),
    ...(triggers ? { triggers } : {}),
    ...(quarantined ? { quarantined } : {}),
    ...(quarantined && !isOwnWords ? { basis: basisOf(content, [...earlier, ...turns], to) } : {}),
  })
}
