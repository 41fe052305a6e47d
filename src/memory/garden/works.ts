import type { Clock } from "../../base/clock.ts"
import type { Database } from "../../storage/database.ts"
import { lastEntry, readJournal } from "../../storage/journal.ts"
import { listConflicts } from "../conflicts.ts"
import type { Embedder } from "../embedding/embedder.ts"
import { pruneWithered } from "../fading.ts"
import type { ProjectFinder } from "../project.ts"
import { cleanUpTags } from "../tags/clean-up.ts"
import { findDuplicates, mergeDuplicates } from "./duplicates.ts"
import type { GardenWork, OpenQuestion, Tending } from "./garden.ts"
import { keepMark, readMark } from "./marks.ts"

/** What the kinds of work need. */
export interface WorkNeeds {
  db: Database
  clock: Clock
  embedder: Pick<Embedder, "model"> | undefined
  projects: ProjectFinder
}

/** Every kind of work that memory does by itself, in its order. */
export function memoryWorks(needs: WorkNeeds): GardenWork[] {
  return [mergeAlike(needs), prune(needs), tidyTags(needs), askAboutConflicts(needs)]
}

/** How many pairs one operation merges: small enough to be undone and followed. */
const mergesAtOnce = 100

/** Merges memories that say the same. */
function mergeAlike(needs: WorkNeeds): GardenWork {
  return {
    name: "duplicates",
    async run(tending) {
      const { db, clock, embedder } = needs
      if (embedder === undefined) return
      const name = `duplicates/${embedder.model}`
      let mark = await readMark(db, name)
      if (mark.isDone && !(await hasNews(db, mark.entry))) return
      if (mark.isDone) mark = { after: 0, entry: await lastEntry(db), isDone: false }
      while (!mark.isDone && tending.mayGoOn()) {
        const { changes, losses } = tending.room()
        const most = Math.min(mergesAtOnce, Math.floor(changes / 2), losses)
        if (most === 0) break
        const { signal } = tending
        const found = await findDuplicates(db, { model: embedder.model, after: mark.after, most, signal })
        for (const { a, b } of found.open) tending.ask(likely(a, b))
        if (found.duplicates.length > 0) {
          const merged = await mergeDuplicates(needs, found.duplicates.slice(0, most), tending.by())
          await tending.done("duplicates merged", merged, found.looked)
        }
        mark = { ...mark, after: found.mark, isDone: found.isDone }
        await keepMark(db, name, mark, clock.now())
      }
      if (!mark.isDone) tending.leaveRest()
    },
  }
}

/** Whether anything of the memory changed since an entry, other than by the garden itself. */
async function hasNews(db: Database, entry: number): Promise<boolean> {
  const news = await readJournal(db, { after: entry, kind: ["memory.", "edge."], limit: 50 })
  return news.some(({ actor }) => actor !== "ambient")
}

function likely(a: { id: string; content: string }, b: { id: string; content: string }): OpenQuestion {
  const memories = [a, b].map(({ id, content }) => ({ id, content }))
  return { kind: "duplicate", memories, note: "They are nearly alike in meaning, but the words differ." }
}

/** Archives what has withered. */
function prune(needs: WorkNeeds): GardenWork {
  return {
    name: "pruning",
    async run(tending: Tending) {
      const { changes, losses } = tending.room()
      const limit = Math.min(changes, losses)
      if (limit === 0) return
      const pruned = await pruneWithered(needs, { limit }, tending.by())
      if (pruned.memories.length > 0)
        await tending.done("archived as withered", pruned, pruned.memories.length)
    },
  }
}

/** Brings spellings of the same tag together and drops tags that nothing has. */
function tidyTags(needs: WorkNeeds): GardenWork {
  return {
    name: "tags",
    async run(tending) {
      const by = tending.by()
      const { merged, dropped } = await cleanUpTags(needs, { dryRun: false }, by)
      const count = merged.length + dropped.length
      if (count === 0) return
      await tending.done("tags tidied", { operation: by.operation, memories: [] }, count, count)
    },
  }
}

const mostConflicts = 200

/** Leaves to a model what contradicts each other and nobody has decided. */
function askAboutConflicts(needs: WorkNeeds): GardenWork {
  return {
    name: "contradictions",
    async run(tending) {
      const found = await listConflicts(needs, { allProjects: true, limit: mostConflicts })
      for (const { memories } of found)
        tending.ask({
          kind: "contradiction",
          memories: memories.map(({ id, content }) => ({ id, content })),
          note: "They contradict each other and both are active.",
        })
    },
  }
}
