import { formatDay, yieldToEventLoop } from "../../base/clock.ts"
import { newId } from "../../base/random.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { lastStatedAt } from "../model/memory.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import { batchesOf } from "../model/store/batch.ts"
import { changesSinceRuns, isEmbedded, isWorthwhile } from "../topics/clusters/due.ts"
import { organiseScope } from "../topics/clusters/organise.ts"
import { spansSinceRuns, spansUntilRefined } from "../topics/clusters/spans.ts"
import { cleanUpTags } from "../topics/tags/clean-up.ts"
import { listConflicts } from "../write/change/conflicts.ts"
import { pruneExpired } from "../write/change/fading.ts"
import { openGaps } from "../write/gaps.ts"
import type { MemoryWriteCore } from "../write/prepare.ts"
import { embedMissing } from "../write/vectors.ts"
import { inProjects, restoredBefore } from "./excluded.ts"
import type { GardenWork } from "./garden.ts"
import { compareSimilar } from "./similar/compare-similar.ts"
import { suspectUpdates } from "./similar/suspect-updates.ts"

/** Every kind of work that needs only the memory, in order. */
export function memoryWorks(needs: MemoryWriteCore): GardenWork[] {
  return [
    fillVectors(needs),
    compareSimilar(needs),
    suspectUpdates(needs),
    prune(needs),
    tidyTags(needs),
    askAboutConflicts(needs),
    reportGaps(needs),
  ]
}

/** Texts embedded at once, and at most in one pass. */
const embeddedAtOnce = 32
const mostEmbedded = 2000

/** Embeds memories without a vector of the current model. Vectors are derived data, and undo leaves them. */
function fillVectors({ db, embedder, clusters, config }: MemoryWriteCore): GardenWork {
  return {
    name: "vectors",
    async run(pass) {
      if (embedder === undefined) return
      const tokens = config.embedding.word_vectors
      let made = 0
      while (made < mostEmbedded && !pass.signal.aborted) {
        const some = await embedMissing({ db, embedder, clusters, tokens }, embeddedAtOnce)
        made += some
        if (some < embeddedAtOnce) break
        await yieldToEventLoop()
      }
      if (made >= mostEmbedded) pass.markUnfinished()
    },
  }
}

/** Archives expired memories, but none that a user restored or stated. */
function prune(needs: MemoryWriteCore): GardenWork {
  return {
    name: "pruning",
    async run(pass) {
      const { changes, losses } = pass.remaining()
      const limit = Math.min(changes, losses, mostArchived)
      if (limit === 0) return
      const exclude = async (on: Reader, ids: readonly string[]) =>
        new Set([...(await keptFromPruning(on, ids)), ...(await inProjects(on, ids, pass.excluded))])
      const pruned = await pruneExpired(needs, { limit, exclude }, pass.by())
      if (pruned.memories.length === 0) return
      await pass.report("archived as expired", pruned, pruned.memories.length)
      if (pruned.memories.length === limit) pass.markUnfinished()
    },
  }
}

/** What a user stated does not expire by age alone, except observations; nor does what was restored once. */
async function keptFromPruning(on: Reader, ids: readonly string[]): Promise<Set<string>> {
  const excluded = await restoredBefore(on, ids)
  for (const some of batchesOf(ids)) {
    const stated = await on.read<{ id: string }>(sql`
      select m.id as id from memories m where m.id in ${sqlList(some)}
        and m.source in ('user-stated', 'user-corrected') and m.type <> 'observation'`)
    for (const { id } of stated) excluded.add(id)
  }
  return excluded
}

/** At most in one operation, so that writing and undoing it stay fast. */
const mostArchived = 5000

/** Merges spellings of the same tag and removes unused tags. */
function tidyTags(needs: MemoryWriteCore): GardenWork {
  return {
    name: "tags",
    async run(pass) {
      const most = pass.remaining().changes
      if (most === 0) return
      const by = pass.by()
      const { merged, dropped } = await cleanUpTags(needs, { dryRun: false, most }, by)
      const others = merged.reduce((sum, { memories }) => sum + memories, dropped.length)
      if (others > 0)
        await pass.report("tags tidied", { operation: by.operation, memories: [], others }, others)
    },
  }
}

const mostConflicts = 200

/** Asks about open conflicts: memories that contradict each other or may replace each other. */
function askAboutConflicts(needs: MemoryWriteCore): GardenWork {
  return {
    name: "contradictions",
    async run(pass) {
      const found = await listConflicts(needs, { allProjects: true, limit: mostConflicts })
      for (const { kind, memories } of found.filter(
        ({ memories: pair }) => !pair.some(({ project }) => pass.excluded.has(project ?? "")),
      ))
        pass.ask({
          kind: "contradiction",
          memories: memories.map(({ id, content }) => ({ id, content })),
          note:
            kind === "contradicts"
              ? "They contradict each other and both are active."
              : `The first, said ${formatDay(lastStatedAt(memories[0]))}, may replace the second, said ${formatDay(lastStatedAt(memories[1]))}; both are active.`,
        })
    },
  }
}

const mostGaps = 10
/** A query that came up only once is not reported. */
const fewestTimes = 2

/** Reports the queries that came up more than once and that memory could not answer. */
function reportGaps({ db }: MemoryWriteCore): GardenWork {
  return {
    name: "gaps",
    async run(pass) {
      for (const { project, question, times } of await openGaps(db, {}, mostGaps))
        if (times >= fewestTimes) pass.reportGap({ project, question, times })
    },
  }
}

/**
 * Clusters the scopes that changed enough; for programs without a daemon. Clusters are derived data: the report does not
 * list them, and undo leaves them. Inferred tags are an operation of their own.
 */
export function findDueClusters(needs: MemoryCore): GardenWork {
  const { db, random, embedder } = needs
  return {
    name: "clusters",
    async run({ signal }) {
      if (embedder === undefined) return
      const { model } = embedder
      const changes = await changesSinceRuns(db, model)
      const spans = await spansSinceRuns(db)
      for (const scope of new Set([...changes.keys(), ...spans.keys()])) {
        if (signal.aborted) return
        const isSpanned = (spans.get(scope) ?? 0) >= spansUntilRefined
        const isDue = isSpanned || (await isWorthwhile(db, scope, changes.get(scope) ?? 0))
        if (!isDue || !(await isEmbedded(db, scope, model))) continue
        const by = { operation: newId(random, "op"), actor: "daemon" }
        await organiseScope({ ...needs, model, signal }, scope, by)
      }
    },
  }
}
