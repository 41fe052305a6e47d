import type { Clock } from "../base/clock.ts"
import { UserError } from "../base/errors.ts"
import { newTimedId, type Random } from "../base/random.ts"
import { loadProjectConfig } from "../config/load.ts"
import type { Config } from "../config/schema.ts"
import type { Database } from "../storage/database.ts"
import { appendEntry, type By, type JournalKind, readJournal } from "../storage/journal.ts"
import { sql } from "../storage/sql.ts"
import type { Transaction } from "../storage/transaction.ts"
import { type CheckedMemory, cleanTags, cleanText, contentKey, type Memory, trustOf } from "./memory.ts"
import { ensureProject, type ProjectFinder, type ProjectIdentity } from "./project.ts"
import { putMemory, selectMemories } from "./store.ts"

export interface RememberNeeds {
  db: Database
  clock: Clock
  random: Random
  config: Config
  projects: ProjectFinder
}

/** What became of a text that was to be remembered. */
export type Remembered =
  | { outcome: "saved" | "reinforced"; id: string }
  | { outcome: "refused"; reason: string }

/** A memory that passed every check and only needs to be written. */
export interface ReadyMemory {
  given: CheckedMemory
  content: string
  tags: string[]
  project: ProjectIdentity | undefined
}

/** The one way into memory. Sending the same operation again returns what it did the first time. */
export async function remember(needs: RememberNeeds, given: CheckedMemory, by: By): Promise<Remembered> {
  const ready = await prepareMemory(needs, given)
  if ("outcome" in ready) return ready
  return needs.db.write(async (transaction) => {
    return (await earlierOutcome(transaction, by)) ?? (await writeMemory(needs, transaction, ready, by))
  })
}

/** Everything slow or refusing, before the transaction: privacy, limits, the project's identity. */
export async function prepareMemory(
  needs: RememberNeeds,
  given: CheckedMemory,
): Promise<ReadyMemory | { outcome: "refused"; reason: string }> {
  const content = cleanText(given.content)
  if (content === "") return refused("there is no text in it")
  if (given.scope === "session" && given.sessionId === undefined) {
    throw new UserError("usage", "A memory of session scope needs the session it belongs to; give --session.")
  }
  if (given.scope === "project" && given.project === undefined) {
    throw new UserError("usage", "A memory of project scope needs its project; give --project DIR.")
  }
  const project = given.project === undefined ? undefined : await needs.projects.find(given.project)
  const config = project === undefined ? needs.config : loadProjectConfig(needs.config, project.root)
  if (!config.memory.enabled) {
    return refused("memory is switched off (memory.enabled in the configuration)")
  }
  if (Array.from(content).length > config.memory.longest_text) {
    return refused(`it is longer than memory.longest_text allows (${config.memory.longest_text} characters)`)
  }
  return { given, content, tags: cleanTags(given.tags), project }
}

function refused(reason: string) {
  return { outcome: "refused" as const, reason }
}

/** What this operation did before, if a client sends it a second time because the first answer was lost. */
async function earlierOutcome(transaction: Transaction, by: By): Promise<Remembered | undefined> {
  const entries = await readJournal(transaction, { operation: by.operation, kind: "memory.", limit: 1 })
  const [first] = entries
  if (first?.subject === undefined || first.subject === null) return undefined
  return { outcome: first.kind === "memory.reinforced" ? "reinforced" : "saved", id: first.subject }
}

/** Saves the memory, or strengthens the one that says exactly the same in the same place. */
export async function writeMemory(
  needs: RememberNeeds,
  transaction: Transaction,
  ready: ReadyMemory,
  by: By,
  options: { verbatim?: boolean } = {},
): Promise<Remembered> {
  const at = needs.clock.now()
  const project = ready.project ? await ensureProject(transaction, ready.project, at, by) : null
  const memory = newMemory(needs, ready, project, at)
  const same = options.verbatim ? undefined : await sameMemory(transaction, memory)
  if (same === undefined) {
    await changeMemory(transaction, { kind: "memory.saved", before: null, after: memory, at, by })
    return { outcome: "saved", id: memory.id }
  }
  const after = reinforced(same, memory, at)
  await changeMemory(transaction, { kind: "memory.reinforced", before: same, after, at, by })
  return { outcome: "reinforced", id: same.id }
}

function newMemory(needs: RememberNeeds, ready: ReadyMemory, project: string | null, at: number): Memory {
  const { given } = ready
  return {
    id: newTimedId(needs.random, at, "m"),
    version: 1,
    content: ready.content,
    type: given.type,
    scope: given.scope ?? (project === null ? "global" : "project"),
    project,
    tags: ready.tags,
    status: "active",
    supersededBy: null,
    source: given.source,
    sourceId: given.sourceId ?? null,
    sessionId: given.sessionId ?? null,
    messageIndex: given.messageIndex ?? null,
    createdAt: given.createdAt ?? at,
    updatedAt: at,
    accessedAt: null,
    verifiedAt: null,
    accessCount: 0,
    strength: 1,
    confidence: 1,
    trust: trustOf[given.source],
  }
}

async function sameMemory(transaction: Transaction, memory: Memory): Promise<Memory | undefined> {
  const candidates = await selectMemories(
    transaction,
    sql`m.content_key = ${contentKey(memory.content)} and m.status = 'active' and m.scope = ${memory.scope}`,
    sql`order by m.created_at, m.id`,
  )
  return candidates.find(
    (other) =>
      other.project === memory.project &&
      (memory.scope !== "session" || other.sessionId === memory.sessionId) &&
      other.type === memory.type,
  )
}

function reinforced(same: Memory, again: Memory, at: number): Memory {
  return {
    ...same,
    version: same.version + 1,
    tags: cleanTags([...same.tags, ...again.tags]),
    strength: same.strength + 1,
    trust: Math.max(same.trust, again.trust),
    updatedAt: at,
  }
}

/** One change of one memory, with its images before and after: all that undo and history need. */
export interface MemoryChange {
  kind: JournalKind
  before: Memory | null
  after: Memory | null
  at: number
  by: By
}

/** Applies a change and writes its journal entry, together. */
export async function changeMemory(transaction: Transaction, change: MemoryChange): Promise<void> {
  const id = change.after?.id ?? change.before?.id ?? ""
  await putMemory(transaction, id, change.after, { isNew: change.before === null })
  const data = { before: change.before, after: change.after }
  await appendEntry(transaction, change.at, { ...change.by, kind: change.kind, subject: id, data })
}
