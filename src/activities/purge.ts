import { eraseFromCycles } from "../attention/erase-cycles.ts"
import { nextTurn } from "../base/clock.ts"
import { chosenMemories, countPurged, eraseMemories, type PurgeChoice } from "../memory/history/erase.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { requireProject } from "../memory/model/project.ts"
import { purgeDescriptions } from "../memory/topics/tags/describe.ts"
import { eraseGaps } from "../memory/write/gaps.ts"
import { eraseBriefs } from "../recall/session/session-store.ts"
import { eraseRequests } from "../safety/permission/erase.ts"
import { eraseTurns } from "../sessions/erase.ts"
import { appendEntry, type By } from "../storage/journal.ts"

/** How a purge went. */
export interface Purged {
  operation: string
  purged: number
  /** Whether the database's files were written anew; if not, another program was reading them. */
  scrubbed: boolean
}

/**
 * Deletes memories for good, and their words wherever a part of Reverie keeps them: each erases its own, a batch in one
 * transaction. The only thing that does. Sent again after it broke off, it goes on.
 */
export async function purgeMemories(
  needs: Pick<MemoryCore, "db" | "clock" | "projects">,
  choice: PurgeChoice,
  by: By,
): Promise<Purged> {
  const { db, clock } = needs
  const where = await chosenMemories(needs, choice, by)
  const done = new Set<string>()
  for (;;) {
    const isMore = await db.write(async (transaction) => {
      const erasing = { search: db.search, where, done, at: clock.now(), by }
      const erased = await eraseMemories(transaction, erasing)
      if (erased.ids.length === 0) return false
      const cycles = await eraseFromCycles(transaction, "ids" in choice ? erased.ids : "all")
      await eraseRequests(transaction, cycles)
      await eraseBriefs(transaction)
      return erased.isMore
    })
    if (!isMore) break
    await nextTurn()
  }
  await db.write(purgeDescriptions)
  await purgeWords(needs, choice, by)
  return {
    operation: by.operation,
    purged: await countPurged(db, by.operation),
    scrubbed: await db.scrub(),
  }
}

/** With a project, or with everything, go the words of its sessions and the questions asked there. */
async function purgeWords(
  needs: Pick<MemoryCore, "db" | "clock" | "projects">,
  choice: PurgeChoice,
  by: By,
): Promise<void> {
  if (!("all" in choice) && !("project" in choice)) return
  const projects = "all" in choice ? "all" : await requireProject(needs, choice.project)
  await needs.db.write(async (transaction) => {
    const turns = await eraseTurns(transaction, projects)
    const gaps = await eraseGaps(transaction, projects)
    if (turns + gaps === 0) return
    await appendEntry(transaction, {
      ...by,
      at: needs.clock.now(),
      kind: "turns.purged",
      data: { turns, gaps },
    })
  })
}
