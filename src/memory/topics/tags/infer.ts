import { yieldToEventLoop } from "../../../base/clock.ts"
import type { Core } from "../../../storage/core.ts"
import { appendEntry, type By, readJournal } from "../../../storage/journal.ts"
import { operationsWhere } from "../../../storage/journal-queries.ts"
import { sql, sqlList } from "../../../storage/sql.ts"
import type { Reader } from "../../../storage/transaction.ts"
import { projectRoot } from "../../model/known-projects.ts"
import { batchesOf, batchSize } from "../../model/store/batch.ts"
import { changeEdges, type Edge, selectEdges } from "../../model/store/graph.ts"
import { tagNode } from "../../model/store/store.ts"
import type { ScopeMemory } from "../clusters/load.ts"
import { type ClusterScope, inScope, scopeName } from "../clusters/scope.ts"
import { membersOfScope } from "../clusters/store-clusters.ts"
import { suggestTags } from "./suggest.ts"

/** How many inferred tags were added to memories, and how many removed. */
export interface Inferred {
  added: number
  removed: number
}

/** The edge weight of an inferred tag. */
const inferredWeight = 0.5

/**
 * Infers the tags of a scope's memories from their files, words and clusters, and removes inferred tags that no longer
 * follow. A tag that somebody removed is not inferred again. Undo reverts all of it.
 */
export async function inferTags(
  core: Pick<Core, "db" | "clock"> & { signal?: AbortSignal | undefined },
  scope: ClusterScope,
  memories: readonly ScopeMemory[],
  by: By,
): Promise<Inferred> {
  const { db, signal } = core
  const members = Map.groupBy(await membersOfScope(db, scope), ({ target }) => target)
  const clusters = [...members.values()].map((edges) => edges.map(({ source }) => source))
  const wanted = await suggestTags({ memories, clusters, root: (await projectRoot(db, scope)) || null })
  for (const batch of batchesOf(memories, batchSize)) {
    signal?.throwIfAborted()
    await inferBatch(core, { scope, batch, wanted }, by)
    await yieldToEventLoop()
  }
  return countInferred(db, scope, by)
}

/** What this operation inferred in a scope, also if it is repeated. */
async function countInferred(on: Reader, scope: ClusterScope, by: By): Promise<Inferred> {
  const query = { operation: by.operation, subject: scopeName(scope), kind: "tags.inferred", limit: 10_000 }
  const done = (await readJournal(on, query)).map(({ data }) => data as Inferred)
  const sum = (pick: (one: Inferred) => number) => done.reduce((total, one) => total + pick(one), 0)
  return { added: sum(({ added }) => added), removed: sum(({ removed }) => removed) }
}

interface Batch {
  scope: ClusterScope
  batch: readonly ScopeMemory[]
  wanted: ReadonlyMap<string, readonly string[]>
}

async function inferBatch({ db, clock }: Pick<Core, "db" | "clock">, batch: Batch, by: By): Promise<void> {
  // Most batches have nothing to change, and need no write transaction.
  if (isEmpty(await changesOf(db, batch))) return
  await db.write(async (transaction) => {
    const at = clock.now()
    const changes = await changesOf(transaction, batch)
    if (isEmpty(changes)) return
    const { added, removed } = changes
    await changeEdges(transaction, [
      ...removed.map((edge) => ({ before: edge, after: null, at, by })),
      ...added.map((edge) => ({ before: null, after: { ...edge, createdAt: at }, at, by })),
    ])
    const data: Inferred = { added: added.length, removed: removed.length }
    const subject = scopeName(batch.scope)
    await appendEntry(transaction, { ...by, at, kind: "tags.inferred", subject, data })
  })
}

interface Changes {
  added: Edge[]
  removed: Edge[]
}

function isEmpty({ added, removed }: Changes): boolean {
  return added.length + removed.length === 0
}

/** The changes that give these memories the wanted tags, except memories that changed meanwhile. */
async function changesOf(on: Reader, { scope, batch, wanted }: Batch): Promise<Changes> {
  const ids = sqlList(batch.map(({ id }) => id))
  const rows = await on.read<{ id: string; key: string }>(
    sql`select m.id as id, m.content_key as key from memories m where m.id in ${ids} and ${inScope(scope)}`,
  )
  const keys = new Map(rows.map(({ id, key }) => [id, key]))
  const same = batch.filter(({ id, key }) => keys.get(id) === key)
  const edges = await selectEdges(on, sql`source in ${ids} and kind in ('has-tag', 'inferred-tag')`)
  const explicit = new Set(edges.filter(({ kind }) => kind === "has-tag").map(nameOf))
  const has = edges.filter(({ kind }) => kind === "inferred-tag")
  const should = same.flatMap(({ id, createdAt }) =>
    (wanted.get(id) ?? []).map((tag): Edge => {
      return { source: id, kind: "inferred-tag", target: tagNode(tag), weight: inferredWeight, createdAt }
    }),
  )
  const names = new Set(should.map(nameOf))
  const ours = new Set(same.map(({ id }) => id))
  const known = new Set(has.map(nameOf))
  const missing = should.filter((edge) => !explicit.has(nameOf(edge)) && !known.has(nameOf(edge)))
  const rejected = await rejectedEdges(on, [...new Set(missing.map(({ source }) => source))])
  return {
    added: missing.filter((edge) => !rejected.has(nameOf(edge))),
    removed: has.filter(
      (edge) => ours.has(edge.source) && (explicit.has(nameOf(edge)) || !names.has(nameOf(edge))),
    ),
  }
}

/** The inferred tags that were removed from these memories by anything but inference and clean-up. */
async function rejectedEdges(on: Reader, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const isRemoval = sql`subject in ${sqlList(ids)} and kind = 'edge.removed'`
  const removals = await readJournal(on, { where: isRemoval, limit: Number.MAX_SAFE_INTEGER })
  const automatic = new Set<string>()
  for (const some of batchesOf([...new Set(removals.map(({ operation }) => operation))]))
    for (const operation of await operationsWhere(
      on,
      sql`operation in ${sqlList(some)} and kind in ('tags.inferred', 'tags.cleaned')`,
    ))
      automatic.add(operation)
  const edges = removals
    .filter(({ operation }) => !automatic.has(operation))
    .map(({ data }) => (data as { before: Edge | null }).before)
  return new Set(edges.flatMap((edge) => (edge?.kind === "inferred-tag" ? [nameOf(edge)] : [])))
}

function nameOf({ source, target }: Edge): string {
  return `${source} ${target}`
}
