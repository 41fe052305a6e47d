import type { Embedded } from "../../embedding/embedder.ts"
import { differInCase } from "../../language/read/letter-case.ts"
import type { By } from "../../storage/journal.ts"
import { earlierResult } from "../../storage/operation.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { isAgent, toAgentNote } from "../model/agents/agents.ts"
import { contentKey, type Memory, type ParsedMemory } from "../model/memory.ts"
import { ensureProject, type ProjectIdentity, projectIdFor } from "../model/project.ts"
import { sameScope } from "../model/scope.ts"
import { batchesOf } from "../model/store/batch.ts"
import { changeMemories } from "../model/store/change.ts"
import { changeEdges } from "../model/store/graph.ts"
import { saveImportKeys } from "../model/store/import-keys.ts"
import { findExistingParts, partsOfText } from "../model/store/parts-of-text.ts"
import { isComparable } from "./compare/similar-memories.ts"
import { embedSoon } from "./embed-texts.ts"
import { type Plan, planWrites, type Written } from "./plan.ts"
import { type MemoryWriteCore, prepareParts, type ReadyMemory, type Refused } from "./prepare.ts"
import { findBySourceKey, sourceKey } from "./source-id.ts"
import { partIds, updateBySourceId } from "./update.ts"
import { saveEmbedded } from "./vectors.ts"

/** The outcome of a text that should be remembered. */
export type Remembered = Written | Refused

/** The one way into memory. An operation that is sent again returns its first outcome. */
export async function remember(needs: MemoryWriteCore, memory: ParsedMemory, by: By): Promise<Remembered> {
  const parts = await prepareParts(needs, isAgent(by) ? toAgentNote(memory) : memory)
  if ("outcome" in parts) return parts
  const [ready] = parts
  if (ready === undefined) throw new Error("a text was split into nothing")
  const earlier = await earlierOutcome(needs.db, ready, by)
  if (earlier) return earlier
  const key = await sourceKey(needs.db, by, ready)
  const before = key === undefined ? undefined : (await findBySourceKey(needs.db, [key])).get(key)
  const updated = before && (await updateBySourceId(needs, before, parts, by))
  if (updated) return updated
  const same = await findSameLongText(needs.db, parts)
  if (same) return same
  const texts = parts.map(({ content }) => content)
  const embedded = await embedSoon(needs, texts)
  let isOvertaken = false
  const written = await writeMemories(needs, parts, embedded, by, {
    async before(transaction) {
      const known = await earlierOutcome(transaction, ready, by)
      if (known) return [known]
      // Another request used the same sourceId since; its memory is updated instead.
      isOvertaken =
        key !== undefined && (await findBySourceKey(transaction, [key])).get(key)?.id !== before?.id
      return isOvertaken ? [] : undefined
    },
    async after(transaction, [first]) {
      if (key && first)
        await saveImportKeys(transaction, [{ key, operation: by.operation, memory: first.id }])
    },
  })
  return isOvertaken ? remember(needs, memory, by) : combineParts(written)
}

/** The outcome of a text from the outcomes of its parts. */
export function combineParts(written: readonly Written[]): Written {
  const [first] = written
  if (first === undefined) throw new Error("a memory was neither saved nor known")
  if (written.length === 1) return first
  const notice = `It is longer than one memory may be; it was saved in ${written.length} parts.`
  return { ...first, ...partIds(written), reason: first.reason ? `${notice} ${first.reason}` : notice }
}

/** A long text that is stored already, part for part. */
export async function findSameLongText(
  on: Reader,
  parts: readonly ReadyMemory[],
): Promise<Written | undefined> {
  const [first] = parts
  if (first === undefined || parts.length === 1) return undefined
  const project = first.project ? await projectIdFor(on, first.project) : null
  const { scope = project === null ? "global" : "project", sessionId = null, audience = null } = first.input
  const scopeCondition = sameScope({ scope, project, sessionId, audience })
  const texts = parts.map(({ content }) => content)
  const known = await findExistingParts(on, scopeCondition, texts)
  return known?.[0] && { outcome: "unchanged", id: known[0].id, ...partIds(known) }
}

/** The outcome of this operation if it was done before. */
function earlierOutcome(on: Reader, ready: ReadyMemory, by: By): Promise<Written | undefined> {
  return earlierResult(on, by, {
    kind: "memory.",
    async read([entry]): Promise<Written | undefined> {
      const { after, told } = (entry?.data ?? {}) as { after?: Memory | null; told?: Written }
      if (told && (told.outcome === "reinforced" || isSaying(after, ready)))
        return after ? { ...told, ...partIds(await partsOfText(on, after)) } : told
      if (!after || !isSaying(after, ready)) return undefined
      if (entry?.kind === "memory.edited")
        return { outcome: "updated", id: after.id, ...partIds(await partsOfText(on, after)) }
      // Entries from before outcomes were stored.
      return entry?.kind === "memory.saved" ? { outcome: "saved", id: after.id } : undefined
    },
  })
}

function isSaying(memory: Memory | null | undefined, ready: ReadyMemory): boolean {
  if (!memory || contentKey(memory.content) !== contentKey(ready.content)) return false
  return !differInCase(memory.content, ready.content)
}

/** Work in the transaction that writes memories. */
export interface WriteHooks {
  /** If it returns outcomes, nothing is written. */
  before?(transaction: Transaction): Promise<Written[] | undefined>
  after?(transaction: Transaction, written: readonly Written[]): Promise<void>
}

/** After this many plans that others' changes made stale, memories are written without comparison. */
const mostPlans = 5

/** Compares memories with stored ones and writes the result, in one transaction. */
export async function writeMemories(
  needs: MemoryWriteCore,
  ready: readonly ReadyMemory[],
  embedded: readonly (Embedded | undefined)[],
  by: By,
  along: WriteHooks,
): Promise<Written[]> {
  for (let attempt = 1; ; attempt += 1) {
    const identities = ready.map(({ project }) => project)
    const projectIds = await likelyProjects(needs.db, identities)
    const plan = await planWrites(needs, {
      ready: attempt < mostPlans ? ready : ready.map(asVerbatim),
      embedded,
      projectIds,
      by,
    })
    const written = await needs.db.write(async (transaction) => {
      const before = await along.before?.(transaction)
      if (before) return before
      const actual = await likelyProjects(transaction, identities)
      const isMoved = actual.some((id, index) => id !== projectIds[index])
      if (isMoved || (await isStale(transaction, plan))) return undefined
      await ensureProjects(needs, transaction, identities, by)
      await applyPlan(needs, transaction, plan)
      await along.after?.(transaction, plan.written)
      return plan.written
    })
    if (written) return written
  }
}

function asVerbatim(ready: ReadyMemory): ReadyMemory {
  if (ready.input.verbatim) return ready
  return { ...ready, input: { ...ready.input, verbatim: true } }
}

async function applyPlan(needs: MemoryWriteCore, transaction: Transaction, plan: Plan): Promise<void> {
  const outcomes = new Map(plan.written.map((one) => [one.id, one]))
  await changeMemories(
    transaction,
    plan.changes.map((change) => {
      const outcome = change.after ? outcomes.get(change.after.id) : undefined
      return outcome ? { ...change, told: outcome } : change
    }),
  )
  await changeEdges(transaction, plan.edges)
  const model = needs.embedder?.model
  if (model === undefined) return
  const embedded = plan.created.flatMap(({ memory, embedded: one }) =>
    one ? [{ id: memory.id, content: memory.content, embedded: one }] : [],
  )
  await saveEmbedded(needs, transaction, model, embedded)
}

/** Whether a compared memory changed, or one of the same text was saved, since the plan was made. */
async function isStale(transaction: Transaction, { seen, created }: Plan): Promise<boolean> {
  for (const ids of batchesOf([...seen.keys()])) {
    const rows = await transaction.read<{ id: string; version: number }>(
      sql`select id, version from memories where id in ${sqlList(ids)}`,
    )
    const now = new Map(rows.map((row) => [row.id, row.version]))
    if (ids.some((id) => now.get(id) !== seen.get(id))) return true
  }
  const compared = created.filter(({ isVerbatim }) => !isVerbatim).map(({ memory }) => memory)
  if (compared.length === 0) return false
  const keys = sqlList(compared.map(({ content }) => contentKey(content)))
  const same = await transaction.read<{ id: string }>(
    sql`select m.id from memories m where m.content_key in ${keys} and ${isComparable}`,
  )
  return same.some(({ id }) => !seen.has(id))
}

async function likelyProjects(
  on: Reader,
  identities: readonly (ProjectIdentity | undefined)[],
): Promise<(string | null)[]> {
  const ids = new Map<ProjectIdentity, string>()
  for (const identity of identities) {
    if (identity && !ids.has(identity)) ids.set(identity, await projectIdFor(on, identity))
  }
  return identities.map((identity) => (identity ? (ids.get(identity) ?? null) : null))
}

async function ensureProjects(
  { clock }: MemoryWriteCore,
  transaction: Transaction,
  identities: readonly (ProjectIdentity | undefined)[],
  by: By,
): Promise<void> {
  for (const identity of new Set(identities)) {
    if (identity) await ensureProject(transaction, identity, clock.now(), by)
  }
}
