import { eraseFromCycles } from "../attention/erase-cycles.ts"
import { yieldToEventLoop } from "../base/clock.ts"
import { chosenMemories, countPurged, eraseMemories, type PurgeChoice } from "../memory/history/erase.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { requireProject } from "../memory/model/project.ts"
import { purgeDescriptions } from "../memory/topics/tags/describe.ts"
import { eraseGaps } from "../memory/write/gaps.ts"
import { eraseBriefs } from "../recall/session/session-store.ts"
import { eraseRequests } from "../safety/permission/erase.ts"
import { eraseTurns } from "../sessions/delete-turns.ts"
import { appendEntry, type By } from "../storage/journal.ts"

export interface PurgeResult {
  operation: string
  purged: number
  /** Whether the database files were rewritten; false if another program was reading them. */
  scrubbed: boolean
}

/**
 * Deletes memories for good, with their text in all tables, one batch per transaction. Nothing else does. A purge that
 * was interrupted continues when it is sent again.
 */
export async function purgeMemories(
  needs: Pick<MemoryCore, "db" | "clock" | "projects">,
  choice: PurgeChoice,
  by: By,
): Promise<PurgeResult> {
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
    await yieldToEventLoop()
  }
  await db.write(purgeDescriptions)
  await purgeTexts(needs, choice, by)
  return {
    operation: by.operation,
    purged: await countPurged(db, by.operation),
    scrubbed: await db.vacuum(),
  }
}

/** Purging a project, or everything, also deletes the texts of its sessions and its unanswered questions. */
async function purgeTexts(
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
