import { listSnapshots, takeSnapshot } from "../../activities/snapshots.ts"
import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { learnedSince } from "../../memory/history/learned.ts"
import { countMemories } from "../../memory/model/store/browse.ts"
import { countConflicts } from "../../memory/write/change/conflicts.ts"
import { ambientAnswer } from "../answers/ambient.ts"
import { shortBudget } from "../answers/budget.ts"
import { chatState } from "../answers/chat.ts"
import { waitingRequests } from "../answers/requests.ts"
import { presentSkipped } from "../answers/sessions.ts"
import type { Answers } from "../contract/answers.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { DaemonInfo } from "../contract/program-answers.ts"
import { databaseFingerprint } from "../fingerprint.ts"
import { requireDaemon } from "../input.ts"
import type { AppNeeds } from "../needs.ts"
import type { AddRoute } from "../routing.ts"

const dayMs = 86_400_000

/** The state of the program, its problems, snapshots and sign-in links. */
export function statusRoutes(on: AddRoute, needs: AppNeeds): void {
  snapshotRoutes(on, needs)
  webLinkRoutes(on, needs)
  const { daemon } = needs
  on("status", async () => {
    const { kind, location } = needs.db
    const { trust, ...ambient } = await ambientAnswer(needs)
    return {
      daemon: daemon
        ? { running: true, ...presentDaemon(daemon.info()) }
        : { running: false, version: needs.version },
      ...ambient,
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
      sessions: { skipped: await presentSkipped(needs) },
      inbox: await inboxCounts(needs),
      chat: await chatState(needs),
    }
  })
  on("doctor", async () => {
    if (daemon?.examine === undefined)
      throw new UserError("not-running", "The daemon is not running; `reverie doctor` works without it.")
    return { checks: await daemon.examine() }
  })
  on("daemon", () => {
    const database = databaseFingerprint(needs.config.storage.url)
    return { ...presentDaemon(requireDaemon(needs).info()), database }
  })
}

async function inboxCounts(needs: AppNeeds): Promise<Answers["status"]["inbox"]> {
  const waiting = await waitingRequests(needs)
  return { waiting: waiting.length, urgent: waiting.filter(({ urgency }) => urgency === "high").length }
}

function presentEmbedder(embedder: AppNeeds["embedder"]): Answers["status"]["memory"]["embedding"] {
  if (embedder === undefined) return null
  const { state, reason = null } = embedder.status()
  return { model: embedder.model, state, reason }
}

function presentDaemon({ startedAt, ...info }: DaemonInfo) {
  return { ...info, since: isoTime(startedAt) }
}

/** Snapshots. There is no call to restore one: nothing may have the database open then. */
function snapshotRoutes(on: AddRoute, needs: AppNeeds): void {
  const directory = needs.paths.snapshotDir
  on("snapshots", async () => {
    return { snapshots: (await listSnapshots(directory)).map(isoTimes) }
  })
  on("takeSnapshot", async (_asked, { by }) => {
    const kept = needs.config.storage.snapshots_kept
    return isoTimes(await takeSnapshot({ ...needs, directory }, kept, by()))
  })
}

/** Links that sign a browser in. */
function webLinkRoutes(on: AddRoute, needs: AppNeeds): void {
  on("webLink", () => {
    const { info, signIn } = requireDaemon(needs)
    const { url } = info()
    if (url === null || signIn === undefined) {
      const advice = "set api.http to true and restart the daemon."
      throw new UserError("refused", `The dashboard needs HTTP, which is switched off; ${advice}`)
    }
    const { code, expiresAt } = signIn.newCode()
    // Browsers do not send the part behind the # to a server, so no log contains it.
    return { url: `${url}/#sign-in=${code}`, address: url, expiresAt: isoTime(expiresAt) }
  })
}
