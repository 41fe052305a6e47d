import type { Clock } from "../base/clock.ts"
import { UserError } from "../base/errors.ts"
import { newTimedId, type Random } from "../base/random.ts"
import type { Config } from "../config/schema.ts"
import type { Database } from "../storage/database.ts"
import { type By, readJournal } from "../storage/journal.ts"
import { sql, sqlList } from "../storage/sql.ts"
import type { Transaction } from "../storage/transaction.ts"
import { changeMemories, type MemoryChange } from "./change.ts"
import {
  type CheckedMemory,
  cleanTags,
  cleanText,
  contentKey,
  detailsOf,
  type Memory,
  trustOf,
} from "./memory.ts"
import { ensureProject, type ProjectFinder, type ProjectIdentity, projectConfig } from "./project.ts"
import { selectMemories } from "./store.ts"

export interface RememberNeeds {
  db: Database
  clock: Clock
  random: Random
  config: Config
  projects: ProjectFinder
}

/** What became of a text that was to be remembered. */
export type Remembered = Written | { outcome: "refused"; reason: string }

/** What became of a text that was written. */
type Written = { outcome: "saved" | "reinforced"; id: string }

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
    const earlier = await earlierOutcome(transaction, ready, by)
    if (earlier) return earlier
    const [written] = await writeMemories(needs, transaction, [ready], by)
    if (written === undefined) throw new Error("a memory was neither saved nor known")
    return written
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
  const config = await configFor(needs, [given.project, given.from])
  if (!config.memory.enabled) {
    return refused("memory is switched off (memory.enabled in the configuration)")
  }
  if (Array.from(content).length > config.memory.longest_text) {
    return refused(`it is longer than memory.longest_text allows (${config.memory.longest_text} characters)`)
  }
  return { given, content, tags: cleanTags(given.tags), project }
}

/** The configuration as all of these projects tighten it. */
export async function configFor(
  needs: Pick<RememberNeeds, "config" | "projects">,
  places: readonly (string | undefined)[],
): Promise<Config> {
  let config = needs.config
  for (const place of places) {
    if (place !== undefined) config = projectConfig(config, await needs.projects.find(place))
  }
  return config
}

function refused(reason: string) {
  return { outcome: "refused" as const, reason }
}

/**
 * What this operation did before, if a client sends it a second time because the first answer was lost. An id that was
 * used for something else is refused, so that nothing is dropped by mistake.
 */
async function earlierOutcome(
  transaction: Transaction,
  ready: ReadyMemory,
  by: By,
): Promise<Written | undefined> {
  const [first] = await readJournal(transaction, { operation: by.operation, limit: 1 })
  if (first === undefined) return undefined
  const [entry] = await readJournal(transaction, { operation: by.operation, kind: "memory.", limit: 1 })
  const { after } = (entry?.data ?? {}) as { after?: Memory | null }
  const isSame = after && contentKey(after.content) === contentKey(ready.content)
  const outcome = { "memory.saved": "saved", "memory.reinforced": "reinforced" } as const
  const kind = entry?.kind
  if (isSame && (kind === "memory.saved" || kind === "memory.reinforced")) {
    return { outcome: outcome[kind], id: after.id }
  }
  throw new UserError(
    "conflict",
    `The operation ${by.operation} was used before for something else; give a new one.`,
  )
}

/** Saves memories, or strengthens those that say exactly the same in the same place. */
export async function writeMemories(
  needs: RememberNeeds,
  transaction: Transaction,
  ready: readonly ReadyMemory[],
  by: By,
  options: { verbatim?: boolean } = {},
): Promise<Written[]> {
  const at = needs.clock.now()
  const projects = await ensureProjects(transaction, ready, at, by)
  const memories = ready.map((one) => newMemory(needs, one, projects, at))
  const known = options.verbatim ? new Map() : await byText(transaction, memories)
  const changes = memories.map((memory): MemoryChange => {
    const candidates = options.verbatim ? [] : textEntry(known, memory)
    const index = candidates.findIndex((other) => isSamePlace(other, memory))
    const same = candidates[index] ?? null
    const after = same ? reinforced(same, memory, at) : memory
    // The next one with this text in the batch must find it as it is now.
    candidates.splice(index === -1 ? candidates.length : index, 1, after)
    return { kind: same ? "memory.reinforced" : "memory.saved", before: same, after, at, by }
  })
  await changeMemories(transaction, changes)
  return changes.map(({ before, after }) => ({
    outcome: before ? "reinforced" : "saved",
    id: after?.id ?? "",
  }))
}

async function ensureProjects(
  transaction: Transaction,
  ready: readonly ReadyMemory[],
  at: number,
  by: By,
): Promise<Map<ProjectIdentity, string>> {
  const ids = new Map<ProjectIdentity, string>()
  for (const { project } of ready) {
    if (project && !ids.has(project)) ids.set(project, await ensureProject(transaction, project, at, by))
  }
  return ids
}

function newMemory(
  needs: RememberNeeds,
  ready: ReadyMemory,
  projects: Map<ProjectIdentity, string>,
  at: number,
): Memory {
  const { given } = ready
  const project = ready.project ? (projects.get(ready.project) ?? null) : null
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
    confidence: given.confidence,
    trust: trustOf[given.source],
    audience: given.audience ?? null,
    triggers: [...new Set(given.triggers)],
    details: detailsOf(given),
  }
}

/** Active memories by the key of their text, oldest first. */
type ByText = Map<string, Memory[]>

/** The memories whose text is that of one of these. */
async function byText(transaction: Transaction, memories: readonly Memory[]): Promise<ByText> {
  const keys = [...new Set(memories.map((memory) => contentKey(memory.content)))]
  const where = sql`m.content_key in ${sqlList(keys)} and m.status = 'active'`
  const known: ByText = new Map()
  for (const memory of await selectMemories(transaction, where, sql`order by m.created_at, m.id`)) {
    textEntry(known, memory).push(memory)
  }
  return known
}

function textEntry(known: ByText, memory: Memory): Memory[] {
  const key = contentKey(memory.content)
  const found = known.get(key) ?? []
  known.set(key, found)
  return found
}

function isSamePlace(a: Memory, b: Memory): boolean {
  const sameSession = a.scope !== "session" || a.sessionId === b.sessionId
  return a.type === b.type && a.scope === b.scope && a.project === b.project && sameSession
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
