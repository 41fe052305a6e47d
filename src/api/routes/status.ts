import { Hono } from "hono"
import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { countMemories } from "../../memory/browse.ts"
import { schemaVersion } from "../answer.ts"
import type { StatusAnswer, StopAnswer } from "../contract.ts"
import type { AppNeeds } from "../needs.ts"

/** How it is going, and stopping. */
export function statusRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.get("/status", async (context) => {
    const { kind, place } = needs.db
    return context.json<StatusAnswer>({
      schemaVersion,
      daemon: presentDaemon(needs),
      status: needs.daemon ? "idle" : "stopped",
      queue: null,
      lastCycle: null,
      nextWake: null,
      budget: null,
      memory: {
        ...(await countMemories(needs.db)),
        enabled: needs.config.memory.enabled,
        storage: kind,
        place,
      },
      inbox: null,
    })
  })
  routes.post("/stop", (context) => {
    if (!needs.daemon) throw new UserError("not-running", "The daemon is not running.")
    needs.daemon.stop()
    return context.json<StopAnswer>({ schemaVersion, stopping: true })
  })
  return routes
}

function presentDaemon(needs: AppNeeds): StatusAnswer["daemon"] {
  if (!needs.daemon) return { running: false, version: needs.version }
  const { startedAt, ...info } = needs.daemon.info()
  return { running: true, ...info, since: isoTime(startedAt) }
}
