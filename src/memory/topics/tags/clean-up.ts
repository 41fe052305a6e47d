import type { Core } from "../../../storage/core.ts"
import { appendEntry, type By } from "../../../storage/journal.ts"
import { earlierResult } from "../../../storage/operation.ts"
import { sql, sqlList } from "../../../storage/sql.ts"
import type { Reader, Transaction } from "../../../storage/transaction.ts"
import { cleanTags } from "../../model/memory.ts"
import { batchesOf, batchSize } from "../../model/store/batch.ts"
import { changeMemories, type MemoryChange } from "../../model/store/change.ts"
import { changeEdges, type EdgeChange, findEdge, selectEdges } from "../../model/store/graph.ts"
import { selectMemories, tagNode } from "../../model/store/store.ts"
import { countTags } from "./list.ts"
import { findVariants } from "./variants.ts"

/** What a clean-up of tags changes, or would change. */
export interface TagCleanUp {
  /** Variants of a tag, and the tag they are merged into. */
  merged: { from: string; into: string; memories: number }[]
  /** Inferred tags that only one memory had. */
  dropped: string[]
}

/**
 * Merges variants of a tag into the most used one and removes inferred tags that only one memory has, in one operation
 * that can be undone. `dryRun` only returns the plan; `most` limits how many memories change.
 */
export async function cleanUpTags(
  { db, clock }: Pick<Core, "db" | "clock">,
  { dryRun, most = Number.POSITIVE_INFINITY }: { dryRun: boolean; most?: number },
  by: By,
): Promise<TagCleanUp> {
  if (dryRun) return limitPlan(await planCleanUp(db), most)
  return db.write(async (transaction) => {
    const earlier = await earlierResult(transaction, by, {
      kind: "tags.cleaned",
      read: ([cleaned]) => cleaned?.data as TagCleanUp | undefined,
    })
    if (earlier) return earlier
    const plan = limitPlan(await planCleanUp(transaction), most)
    if (plan.merged.length + plan.dropped.length === 0) return plan
    const at = clock.now()
    const into = new Map(plan.merged.map((one) => [one.from, one.into]))
    await renameExplicit(transaction, into, at, by)
    await renameInferred(transaction, into, at, by)
    await dropInferred(transaction, plan.dropped, at, by)
    await appendEntry(transaction, { ...by, at, kind: "tags.cleaned", data: plan })
    return plan
  })
}

async function planCleanUp(on: Reader): Promise<TagCleanUp> {
  const uses = await countTags(on, sql`true`)
  const into = findVariants(uses)
  const merged = uses.flatMap(({ name, memories, inferred }) => {
    const target = into.get(name)
    return target === undefined ? [] : [{ from: name, into: target, memories: memories + inferred }]
  })
  const targets = new Set(into.values())
  const dropped = uses
    .filter(({ name, memories, inferred }) => memories === 0 && inferred === 1 && !targets.has(name))
    .map(({ name }) => name)
    .filter((name) => !into.has(name))
  return { merged: merged.sort((a, b) => (a.from < b.from ? -1 : 1)), dropped: dropped.sort() }
}

/** The part of a plan that changes at most this many memories. */
function limitPlan(plan: TagCleanUp, most: number): TagCleanUp {
  let left = most
  const merged = plan.merged.filter(({ memories }) => {
    if (memories > left) return false
    left -= memories
    return true
  })
  return { merged, dropped: plan.dropped.slice(0, left) }
}

/** Renames explicit tags of memories. */
async function renameExplicit(
  transaction: Transaction,
  into: ReadonlyMap<string, string>,
  at: number,
  by: By,
): Promise<void> {
  const nodes = sqlList([...into.keys()].map(tagNode))
  const rows = await transaction.read<{ id: string }>(
    sql`select distinct source as id from edges where kind = 'has-tag' and target in ${nodes} order by source`,
  )
  for (const batch of batchesOf(rows, batchSize)) {
    const ids = batch.map(({ id }) => id)
    const memories = await selectMemories(transaction, sql`m.id in ${sqlList(ids)}`, sql`order by m.id`)
    const changes = memories.map((before): MemoryChange => {
      const tags = cleanTags(before.tags.map((tag) => into.get(tag) ?? tag))
      const after = { ...before, tags, version: before.version + 1, updatedAt: at }
      return { kind: "memory.tagged", before, after, at, by }
    })
    await changeMemories(transaction, changes)
  }
}

async function renameInferred(
  transaction: Transaction,
  into: ReadonlyMap<string, string>,
  at: number,
  by: By,
): Promise<void> {
  const nodes = sqlList([...into.keys()].map(tagNode))
  const order = sql`order by source, target`
  const edges = await selectEdges(transaction, sql`kind = 'inferred-tag' and target in ${nodes}`, order)
  for (const before of edges) {
    const tag = into.get(before.target.slice(tagNode("").length))
    const after = { ...before, target: tagNode(tag ?? "") }
    const isThere =
      (await findEdge(transaction, after)) ?? (await findEdge(transaction, { ...after, kind: "has-tag" }))
    const renamed: EdgeChange[] = isThere ? [] : [{ before: null, after, at, by }]
    await changeEdges(transaction, [{ before, after: null, at, by }, ...renamed])
  }
}

async function dropInferred(
  transaction: Transaction,
  tags: readonly string[],
  at: number,
  by: By,
): Promise<void> {
  const nodes = sqlList(tags.map(tagNode))
  const edges = await selectEdges(transaction, sql`kind = 'inferred-tag' and target in ${nodes}`)
  await changeEdges(
    transaction,
    edges.map((before) => ({ before, after: null, at, by })),
  )
}
