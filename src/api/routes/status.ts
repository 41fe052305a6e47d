import { Hono } from "hono"
import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { learnedSince } from "../../memory/history/learned.ts"
import { countMemories } from "../../memory/model/store/browse.ts"
import { countConflicts } from "../../memory/write/change/conflicts.ts"
import { listRequests } from "../../safety/permission/requests.ts"
import { ambientAnswer } from "../answers/ambient.ts"
import { schemaVersion } from "../answers/answer.ts"
import { shortBudget } from "../answers/budget.ts"
import { chatState } from "../answers/chat.ts"
import { skippedAnswer } from "../answers/skipped.ts"
import type { AmbientAnswer, DaemonAnswer, StatusAnswer } from "../contract.ts"
import { databaseFingerprint } from "../fingerprint.ts"
import type { AppNeeds } from "../needs.ts"

const dayMs = 86_400_000

/** How it is going. */
export function statusRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.get("/status", async (context) => {
    const { kind, location } = needs.db
    return context.json<StatusAnswer>({
      schemaVersion,
      daemon: presentDaemon(needs),
      ...pick(await ambientAnswer(needs)),
      budget: await shortBudget(needs),
      memory: {
        ...(await countMemories(needs.db)),
        conflicts: await countConflicts(needs.db),
        enabled: needs.config.memory.enabled,
        storage: kind,
        place: location,
        embedding: presentEmbedder(needs.embedder),
        learnedToday: await learnedSince(needs.db, needs.clock.now() - dayMs),
      },
      sessions: { skipped: await skippedAnswer(needs) },
      inbox: await inboxCounts(needs),
      chat: await chatState(needs),
    })
  })
  routes.get("/daemon", (context) => {
    if (!needs.daemon) throw new UserError("not-running", "The daemon is not running.")
    const { startedAt, ...info } = needs.daemon.info()
    const database = databaseFingerprint(needs.config.storage.url)
    return context.json<DaemonAnswer>({ schemaVersion, ...info, since: isoTime(startedAt), database })
  })
  return routes
}

async function inboxCounts({ db, install, clock }: AppNeeds): Promise<StatusAnswer["inbox"]> {
  const now = clock.now()
  const waiting = (await listRequests(db, install, ["pending"])).filter(({ expiresAt }) => expiresAt > now)
  return { waiting: waiting.length, urgent: waiting.filter(({ urgency }) => urgency === "high").length }
}

function presentEmbedder(embedder: AppNeeds["embedder"]): StatusAnswer["memory"]["embedding"] {
  if (embedder === undefined) return null
  const { state, reason = null } = embedder.status()
  return { model: embedder.model, state, reason }
}

function pick({ status, reason, queue, lastCycle, nextWake, pausedUntil }: AmbientAnswer) {
  return { status, reason, queue, lastCycle, nextWake, pausedUntil }
}

function presentDaemon(needs: AppNeeds): StatusAnswer["daemon"] {
  if (!needs.daemon) return { running: false, version: needs.version }
  const { startedAt, ...info } = needs.daemon.info()
  return { running: true, ...info, since: isoTime(startedAt) }
}
