import { type Loop, startLoop } from "../base/loop.ts"
import { newId } from "../base/random.ts"
import type { Embedder } from "../embedding/embedder.ts"
import { changesSinceRuns, countChanges, isEmbedded, isWorthwhile } from "../memory/topics/clusters/due.ts"
import { type OrganisedScope, organiseScope } from "../memory/topics/clusters/organise.ts"
import { findRun } from "../memory/topics/clusters/run.ts"
import type { ClusterScope } from "../memory/topics/clusters/scope.ts"
import {
  countSpans,
  type RetrievalLog,
  spansSinceRuns,
  spansUntilRefined,
  surfacedAfter,
} from "../memory/topics/clusters/spans.ts"
import type { Core } from "../storage/core.ts"
import { lastEntry } from "../storage/journal.ts"

interface OrganisingNeeds extends Core {
  embedder: Pick<Embedder, "model">
  /** Memories that were retrieved together. */
  retrievals?: RetrievalLog | undefined
}

/** Work begins after this long without a commit; shorter than the interval of heartbeats. */
const quietMs = 5000
/** Pause before a scope is checked again that waits for vectors or failed. */
const againMs = 60_000

/**
 * Reorganises a scope when enough memories changed or enough retrievals spanned several clusters, and nobody is writing.
 * If nothing happened, a run costs one read.
 */
export function startOrganising(needs: OrganisingNeeds): () => Promise<void> {
  const { db, clock } = needs
  if (needs.config.memory.organise_every_minutes === 0) return async () => {}
  const changes = createChanges(needs)
  /** When a waiting scope is checked again. */
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
  const wakeOn = (loop: Loop) => db.onCommit(() => loop.postpone(quietMs))
  return startLoop(needs, { work, firstMs: quietMs, problem, retryMs: againMs, wakeOn }).stop
}

/** Organises a scope if it is due. Returns in how many milliseconds to check again; infinite for never. */
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
  // Another process may have organised it meanwhile.
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

/** Counts changes and cluster-spanning retrievals per scope since its last run. Reads each journal entry once. */
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
