import { startLoop } from "../base/loop.ts"
import { newId } from "../base/random.ts"
import type { Core } from "../storage/core.ts"
import { readJournal } from "../storage/journal.ts"
import { listSnapshots, takeSnapshot } from "./snapshots.ts"

/** How often to check whether a snapshot is due; a check reads one journal entry. */
const checkEveryMs = 10 * 60_000

/** Takes snapshots when they are due. Returns how to stop. */
export function startHousekeeping(needs: Core & { directory: string }): () => Promise<void> {
  const work = async () => {
    await snapshotIfDue(needs)
    return checkEveryMs
  }
  const problem = "The snapshot failed"
  return startLoop(needs, { work, problem, retryMs: checkEveryMs, level: "error" }).stop
}

/** Takes a snapshot if a memory changed since the last one and that is old enough. */
async function snapshotIfDue(needs: Core & { directory: string }): Promise<"taken" | "not due"> {
  const { snapshot_every_hours: hours, snapshots_kept: kept } = needs.config.storage
  if (hours === 0) return "not due"
  const [newest] = await listSnapshots(needs.directory)
  const [change] = await readJournal(needs.db, { kind: "memory.", limit: 1, newestFirst: true })
  const last = newest?.at ?? 0
  const due = change !== undefined && change.at > last && needs.clock.now() - last >= hours * 3_600_000
  if (!due) return "not due"
  const by = { operation: newId(needs.random, "op"), actor: "daemon" }
  const snapshot = await takeSnapshot(needs, kept, by)
  needs.log.info("Took a snapshot", { file: snapshot.file, bytes: snapshot.bytes })
  return "taken"
}
