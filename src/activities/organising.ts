import { startLoop } from "../base/loop.ts"
import { newId } from "../base/random.ts"
import type { Embedder } from "../embedding/embedder.ts"
import { changesSinceRuns, countChanges, isEmbedded, isWorthwhile } from "../memory/topics/clusters/due.ts"
import { type OrganisedScope, organiseScope } from "../memory/topics/clusters/organise.ts"
import { findRun } from "../memory/topics/clusters/run.ts"
import type { ClusterScope } from "../memory/topics/clusters/scope.ts"
import {
  countSpans,
  type Retrievals,
  spansSinceRuns,
  spansUntilRefined,
  surfacedAfter,
} from "../memory/topics/clusters/spans.ts"
import type { Core } from "../storage/core.ts"
import { lastEntry } from "../storage/journal.ts"

interface OrganisingNeeds extends Core {
  embedder: Pick<Embedder, "model">
  /** What was searched for and found together. */
  retrievals?: Retrievals | undefined
}

/** Nothing is begun before this much time without a commit; shorter than the time between two heartbeats. */
const quietMs = 5000
/** A scope that is due but waits, for vectors or after a failure, is looked at again so much later. */
const againMs = 60_000

/**
 * Organises a scope anew when enough of it changed, or enough of what was asked for lay across its clusters, and nobody
 * is writing: now, and whenever that becomes so. Where nothing happened, a look costs one read.
 */
export function startOrganising(needs: OrganisingNeeds): () => Promise<void> {
  const { db, clock } = needs
  if (needs.config.memory.organise_every_minutes === 0) return async () => {}
  const changes = createChanges(needs)
  /** When a scope that waits is to be looked at again. */
  let dueAt = Number.POSITIVE_INFINITY
  const work = async (signal: AbortSignal) => {
    const isNew = await changes.look()
    if (!isNew && clock.now() < dueAt) return untilDue()
    dueAt = clock.now() + againMs
    let soonest = Number.POSITIVE_INFINITY
    for (const scope of changes.scopes()) {
      const wait = await organiseIfDue({ ...needs, signal }, changes, scope)
      soonest = Math.min(soonest, clock.now() + wait)
    }
    dueAt = soonest
    return untilDue()
  }
  const untilDue = () => Math.max(quietMs, dueAt - clock.now())
  const problem = "Organising failed; trying again"
  const loop = startLoop(needs, { work, firstMs: quietMs, problem, retryMs: againMs })
  const stopListening = db.onCommit(() => loop.putOff(quietMs))
  return async () => {
    stopListening()
    await loop.stop()
  }
}

/** Organises a scope if it is time. Tells in how many milliseconds it should be looked at again; never is infinite. */
async function organiseIfDue(
  needs: OrganisingNeeds & { signal: AbortSignal },
  changes: Changes,
  scope: ClusterScope,
): Promise<number> {
  const { db, clock, log, random, embedder } = needs
  const isDue = async () => changes.isSpanned(scope) || (await isWorthwhile(db, scope, changes.of(scope)))
  if (!(await isDue())) return Number.POSITIVE_INFINITY
  const run = await findRun(db, scope)
  const rest = (run?.at ?? 0) + needs.config.memory.organise_every_minutes * 60_000 - clock.now()
  if (rest > 0) return rest
  if (!(await isEmbedded(db, scope, embedder.model))) return againMs
  // Somebody else may have organised it since it was counted.
  if (run?.model === embedder.model) changes.correct(scope, await countChanges(db, run.entry))
  if (!(await isDue())) return Number.POSITIVE_INFINITY
  const by = { operation: newId(random, "op"), actor: "daemon" }
  const result = await organiseScope({ ...needs, model: embedder.model }, scope, by)
  changes.settle(scope)
  log.info("Organised memories", summaryOf(result))
  return Number.POSITIVE_INFINITY
}

function summaryOf(result: OrganisedScope) {
  if (result.outcome === "overtaken") return { ...result }
  const { tags, ...counts } = result
  return { ...counts, tagsAdded: tags.added, tagsRemoved: tags.removed }
}

type Changes = ReturnType<typeof createChanges>

/** Counts what changed, and what spans clusters, in each scope since its last run, reading each journal entry once. */
function createChanges({ db, embedder, retrievals }: OrganisingNeeds) {
  const counts = new Map<ClusterScope, number>()
  const spans = new Map<ClusterScope, number>()
  let seen: number | undefined
  const addUp = (into: Map<ClusterScope, number>, more: ReadonlyMap<ClusterScope, number>) => {
    for (const [scope, count] of more) into.set(scope, (into.get(scope) ?? 0) + count)
  }
  return {
    /** Counts what is new; false if nothing is. */
    async look(): Promise<boolean> {
      const newest = await lastEntry(db)
      const found = retrievals?.take() ?? []
      if (found.length > 0) addUp(spans, await countSpans(db, found))
      if (newest === seen) return found.length > 0
      const isFirst = seen === undefined
      addUp(counts, isFirst ? await changesSinceRuns(db, embedder.model) : await countChanges(db, seen ?? 0))
      addUp(
        spans,
        isFirst ? await spansSinceRuns(db) : await countSpans(db, await surfacedAfter(db, seen ?? 0)),
      )
      seen = newest
      return true
    },
    scopes: () => [...new Set([...counts.keys(), ...spans.keys()])],
    isSpanned: (scope: ClusterScope) => (spans.get(scope) ?? 0) >= spansUntilRefined,
    of: (scope: ClusterScope) => counts.get(scope) ?? 0,
    correct: (scope: ClusterScope, exact: ReadonlyMap<ClusterScope, number>) =>
      void counts.set(scope, exact.get(scope) ?? 0),
    settle(scope: ClusterScope) {
      counts.delete(scope)
      spans.delete(scope)
    },
  }
}
