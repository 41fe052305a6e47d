import { Hono } from "hono"
import { listSnapshots, type Snapshot, takeSnapshot } from "../../activities/snapshots.ts"
import { isoTime } from "../../base/clock.ts"
import { schemaVersion } from "../answers/answer.ts"
import type { SnapshotAnswer, SnapshotJson, SnapshotsAnswer } from "../contract.ts"
import { byOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

/** Copies of the whole memory. Putting one back is no request: nobody may have the database open then. */
export function snapshotRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  const directory = needs.paths.snapshotDir
  routes.get("/", async (context) => {
    const snapshots = (await listSnapshots(directory)).map(presentSnapshot)
    return context.json<SnapshotsAnswer>({ schemaVersion, snapshots })
  })
  routes.post("/", async (context) => {
    const kept = needs.config.storage.snapshots_kept
    const taken = await takeSnapshot({ ...needs, directory }, kept, byOf(context, needs))
    return context.json<SnapshotAnswer>({ schemaVersion, ...presentSnapshot(taken) })
  })
  return routes
}

function presentSnapshot(snapshot: Snapshot): SnapshotJson {
  return { ...snapshot, at: isoTime(snapshot.at) }
}
