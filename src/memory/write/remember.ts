import type { Embedded } from "../../embedding/embedder.ts"
import { differInLetters } from "../../language/read/letter-case.ts"
import type { By } from "../../storage/journal.ts"
import { earlierResult } from "../../storage/operation.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import { asAgentsNote, isAgent } from "../model/agents/agents.ts"
import { type CheckedMemory, contentKey, type Memory } from "../model/memory.ts"
import { ensureProject, likelyProjectId, type ProjectIdentity } from "../model/project.ts"
import { sameScope } from "../model/scope.ts"
import { batchesOf } from "../model/store/batch.ts"
import { changeMemories } from "../model/store/change.ts"
import { changeEdges } from "../model/store/graph.ts"
import { putImportKeys } from "../model/store/import-keys.ts"
import { findSameParts, partsWith } from "../model/store/parts-of-text.ts"
import { isComparable } from "./compare/similar-memories.ts"
import { embedSoon } from "./embed-texts.ts"
import { findGiven, givenKey } from "./given-before.ts"
import { type Plan, planWrites, type Written } from "./plan.ts"
import { prepareParts, type ReadyMemory, type Refused, type RememberNeeds } from "./prepare.ts"
import { partsTold, updateGiven } from "./update.ts"
import { saveEmbedded } from "./vectors.ts"

/** What became of a text that was to be remembered. */
export type Remembered = Written | Refused

/** The one way into memory. Sending the same operation again returns what it did the first time. */
export async function remember(needs: RememberNeeds, given: CheckedMemory, by: By): Promise<Remembered> {
  const parts = await prepareParts(needs, isAgent(by) ? asAgentsNote(given) : given)
  if ("outcome" in parts) return parts
  const [ready] = parts
  if (ready === undefined) throw new Error("a text was split into nothing")
  const earlier = await earlierOutcome(needs.db, ready, by)
  if (earlier) return earlier
  const key = await givenKey(needs.db, by, ready)
  const before = key === undefined ? undefined : (await findGiven(needs.db, [key])).get(key)
  const updated = before && (await updateGiven(needs, before, parts, by))
  if (updated) return updated
  const same = await sameLongText(needs.db, parts)
  if (same) return same
  const texts = parts.map(({ content }) => content)
  const embedded = await embedSoon(needs, texts)
  let isOvertaken = false
  const written = await writeMemories(needs, parts, embedded, by, {
    async before(transaction) {
      const known = await earlierOutcome(transaction, ready, by)
      if (known) return [known]
      // Somebody gave a text under the same id meanwhile; that one is to be updated.
      isOvertaken = key !== undefined && (await findGiven(transaction, [key])).get(key)?.id !== before?.id
      return isOvertaken ? [] : undefined
    },
    async after(transaction, [first]) {
      if (key && first) await putImportKeys(transaction, [{ key, operation: by.operation, memory: first.id }])
    },
  })
  return isOvertaken ? remember(needs, given, by) : inParts(written)
}

/** What became of a text, from what became of each of its parts. */
export function inParts(written: readonly Written[]): Written {
  const [first] = written
  if (first === undefined) throw new Error("a memory was neither saved nor known")
  if (written.length === 1) return first
  const told = `It is longer than one memory may be; it was kept in ${written.length} parts.`
  return { ...first, ...partsTold(written), reason: first.reason ? `${told} ${first.reason}` : told }
}

/** A long text that is known already, part for part. */
export async function sameLongText(on: Reader, parts: readonly ReadyMemory[]): Promise<Written | undefined> {
  const [first] = parts
  if (first === undefined || parts.length === 1) return undefined
  const project = first.project ? await likelyProjectId(on, first.project) : null
  const { scope = project === null ? "global" : "project", sessionId = null, audience = null } = first.given
  const scopeCondition = sameScope({ scope, project, sessionId, audience })
  const texts = parts.map(({ content }) => content)
  const known = await findSameParts(on, scopeCondition, texts)
  return known?.[0] && { outcome: "unchanged", id: known[0].id, ...partsTold(known) }
}

/** What this operation did before, if it is sent a second time. */
function earlierOutcome(on: Reader, ready: ReadyMemory, by: By): Promise<Written | undefined> {
  return earlierResult(on, by, {
    kind: "memory.",
    async read([entry]): Promise<Written | undefined> {
      const { after, told } = (entry?.data ?? {}) as { after?: Memory | null; told?: Written }
      if (told && (told.outcome === "reinforced" || isSaying(after, ready)))
        return after ? { ...told, ...partsTold(await partsWith(on, after)) } : told
      if (!after || !isSaying(after, ready)) return undefined
      if (entry?.kind === "memory.edited")
        return { outcome: "updated", id: after.id, ...partsTold(await partsWith(on, after)) }
      // Written before outcomes were noted.
      return entry?.kind === "memory.saved" ? { outcome: "saved", id: after.id } : undefined
    },
  })
}

function isSaying(memory: Memory | null | undefined, ready: ReadyMemory): boolean {
  if (!memory || contentKey(memory.content) !== contentKey(ready.content)) return false
  return !differInLetters(memory.content, ready.content)
}

/** What else belongs into the transaction that writes memories. */
export interface Along {
  /** Where it tells an outcome, nothing is written. */
  before?(transaction: Transaction): Promise<Written[] | undefined>
  after?(transaction: Transaction, written: readonly Written[]): Promise<void>
}

/** How often a plan is made anew because others changed what it was made from; then nothing is compared any more. */
const mostPlans = 5

/** Compares memories with what is known, and writes what follows from it, in one transaction. */
export async function writeMemories(
  needs: RememberNeeds,
  ready: readonly ReadyMemory[],
  embedded: readonly (Embedded | undefined)[],
  by: By,
  along: Along,
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
  if (ready.given.verbatim) return ready
  return { ...ready, given: { ...ready.given, verbatim: true } }
}

async function applyPlan(needs: RememberNeeds, transaction: Transaction, plan: Plan): Promise<void> {
  const told = new Map(plan.written.map((one) => [one.id, one]))
  await changeMemories(
    transaction,
    plan.changes.map((change) => {
      const outcome = change.after ? told.get(change.after.id) : undefined
      return outcome ? { ...change, told: outcome } : change
    }),
  )
  await changeEdges(transaction, plan.edges)
  const model = needs.embedder?.model
  if (model === undefined) return
  const embedded = plan.newcomers.flatMap(({ memory, embedded: one }) =>
    one ? [{ id: memory.id, content: memory.content, embedded: one }] : [],
  )
  await saveEmbedded(needs, transaction, model, embedded)
}

/** Whether somebody changed a memory the plan looked at, or saved one of the same text meanwhile. */
async function isStale(transaction: Transaction, { seen, newcomers }: Plan): Promise<boolean> {
  for (const ids of batchesOf([...seen.keys()])) {
    const rows = await transaction.read<{ id: string; version: number }>(
      sql`select id, version from memories where id in ${sqlList(ids)}`,
    )
    const now = new Map(rows.map((row) => [row.id, row.version]))
    if (ids.some((id) => now.get(id) !== seen.get(id))) return true
  }
  const compared = newcomers.filter(({ isVerbatim }) => !isVerbatim).map(({ memory }) => memory)
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
    if (identity && !ids.has(identity)) ids.set(identity, await likelyProjectId(on, identity))
  }
  return identities.map((identity) => (identity ? (ids.get(identity) ?? null) : null))
}

async function ensureProjects(
  { clock }: RememberNeeds,
  transaction: Transaction,
  identities: readonly (ProjectIdentity | undefined)[],
  by: By,
): Promise<void> {
  for (const identity of new Set(identities)) {
    if (identity) await ensureProject(transaction, identity, clock.now(), by)
  }
}
