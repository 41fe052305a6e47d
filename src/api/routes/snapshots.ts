import { listSnapshots, takeSnapshot } from "../../activities/snapshots.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** Copies of the whole memory. Putting one back is no request: nobody may have the database open then. */
export function snapshotRoutes(on: On, needs: AppNeeds): void {
  const directory = needs.paths.snapshotDir
  on("snapshots", async () => {
    return { snapshots: (await listSnapshots(directory)).map(isoTimes) }
  })
  on("takeSnapshot", async (_asked, { by }) => {
    const kept = needs.config.storage.snapshots_kept
    return isoTimes(await takeSnapshot({ ...needs, directory }, kept, by()))
  })
}
