import { dayOf, nextTurn } from "../../base/clock.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { lastSaid } from "../model/memory.ts"
import { batchesOf } from "../model/store/batch.ts"
import { cleanUpTags } from "../topics/tags/clean-up.ts"
import { listConflicts } from "../write/change/conflicts.ts"
import { pruneExpired } from "../write/change/fading.ts"
import { openGaps } from "../write/gaps.ts"
import type { RememberNeeds } from "../write/prepare.ts"
import { embedMissing } from "../write/vectors.ts"
import { broughtBack } from "./brought-back.ts"
import type { GardenWork } from "./garden.ts"
import { inProjects } from "./in-projects.ts"
import { compareSimilar } from "./similar/compare-similar.ts"
import { suspectUpdates } from "./similar/suspect-updates.ts"

/** Every kind of work that memory does by itself, in its order. */
export function memoryWorks(needs: RememberNeeds): GardenWork[] {
  return [
    fillVectors(needs),
    compareSimilar(needs),
    suspectUpdates(needs),
    prune(needs),
    tidyTags(needs),
    askAboutConflicts(needs),
    tellGaps(needs),
  ]
}

/** Texts embedded at once, and in one pass: a model takes its time. */
const embeddedAtOnce = 32
const mostEmbedded = 2000

/** Gives vectors of the present model to what has none; they are derived, and undo leaves them. */
function fillVectors({ db, embedder, clusters, config }: RememberNeeds): GardenWork {
  return {
    name: "vectors",
    async run(tending) {
      if (embedder === undefined) return
      const tokens = config.embedding.word_vectors
      let made = 0
      while (made < mostEmbedded && !tending.signal.aborted) {
        const some = await embedMissing({ db, embedder, clusters, tokens }, embeddedAtOnce)
        made += some
        if (some < embeddedAtOnce) break
        await nextTurn()
      }
      if (made >= mostEmbedded) tending.leaveRest()
    },
  }
}

/** Archives what has expired, but nothing that a person brought back, or told as something that holds. */
function prune(needs: RememberNeeds): GardenWork {
  return {
    name: "pruning",
    async run(tending) {
      const { changes, losses } = tending.room()
      const limit = Math.min(changes, losses, mostArchived)
      if (limit === 0) return
      const spare = async (on: Reader, ids: readonly string[]) =>
        new Set([...(await keptFromPruning(on, ids)), ...(await inProjects(on, ids, tending.excluded))])
      const pruned = await pruneExpired(needs, { limit, spare }, tending.by())
      if (pruned.memories.length === 0) return
      await tending.done("archived as expired", pruned, pruned.memories.length)
      if (pruned.memories.length === limit) tending.leaveRest()
    },
  }
}

/** Only whoever told it archives it: age alone does not make it untrue. An observation was meant for its day. */
async function keptFromPruning(on: Reader, ids: readonly string[]): Promise<Set<string>> {
  const excluded = await broughtBack(on, ids)
  for (const some of batchesOf(ids)) {
    const told = await on.read<{ id: string }>(sql`
      select m.id as id from memories m where m.id in ${sqlList(some)}
        and m.source in ('user-stated', 'user-corrected') and m.type <> 'observation'`)
    for (const { id } of told) excluded.add(id)
  }
  return excluded
}

/** One operation archives no more, so that it stays quick to write and to take back. */
const mostArchived = 5000

/** Brings spellings of the same tag together and drops tags that nothing has. */
function tidyTags(needs: RememberNeeds): GardenWork {
  return {
    name: "tags",
    async run(tending) {
      const most = tending.room().changes
      if (most === 0) return
      const by = tending.by()
      const { merged, dropped } = await cleanUpTags(needs, { dryRun: false, most }, by)
      const others = merged.reduce((sum, { memories }) => sum + memories, dropped.length)
      if (others > 0)
        await tending.done("tags tidied", { operation: by.operation, memories: [], others }, others)
    },
  }
}

const mostConflicts = 200

/** Leaves to a model what contradicts each other, or may replace each other, and nobody has decided. */
function askAboutConflicts(needs: RememberNeeds): GardenWork {
  return {
    name: "contradictions",
    async run(tending) {
      const found = await listConflicts(needs, { allProjects: true, limit: mostConflicts })
      for (const { kind, memories } of found.filter(
        ({ memories: pair }) => !pair.some(({ project }) => tending.excluded.has(project ?? "")),
      ))
        tending.ask({
          kind: "contradiction",
          memories: memories.map(({ id, content }) => ({ id, content })),
          note:
            kind === "contradicts"
              ? "They contradict each other and both are active."
              : `The first, said ${dayOf(lastSaid(memories[0]))}, may replace the second, said ${dayOf(lastSaid(memories[1]))}; both are active.`,
        })
    },
  }
}

const mostGaps = 10
/** What was asked once only may have been a whim. */
const fewestTimes = 2

/** Tells what was asked more than once and never answered. */
function tellGaps({ db }: RememberNeeds): GardenWork {
  return {
    name: "gaps",
    async run(tending) {
      for (const { project, question, times } of await openGaps(db, {}, mostGaps))
        if (times >= fewestTimes) tending.miss({ project, question, times })
    },
  }
}
