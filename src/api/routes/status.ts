import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { learnedSince } from "../../memory/history/learned.ts"
import { countMemories } from "../../memory/model/store/browse.ts"
import { countConflicts } from "../../memory/write/change/conflicts.ts"
import { ambientAnswer } from "../answers/ambient.ts"
import { shortBudget } from "../answers/budget.ts"
import { chatState } from "../answers/chat.ts"
import { waitingRequests } from "../answers/requests.ts"
import { skippedAnswer } from "../answers/sessions.ts"
import type { Answers } from "../contract/answers.ts"
import type { DaemonInfo } from "../contract/program-answers.ts"
import { databaseFingerprint } from "../fingerprint.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

const dayMs = 86_400_000

/** How it is going, and what is wrong as the daemon sees it. */
export function statusRoutes(on: On, needs: AppNeeds): void {
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
      sessions: { skipped: await skippedAnswer(needs) },
      inbox: await inboxCounts(needs),
      chat: await chatState(needs),
    }
  })
  on("doctor", async () => {
    if (daemon?.examine === undefined)
      throw new UserError("not-running", "The daemon is not running; `reverie doctor` looks without it.")
    return { checks: await daemon.examine() }
  })
  on("daemon", () => {
    if (!daemon) throw new UserError("not-running", "The daemon is not running.")
    const database = databaseFingerprint(needs.config.storage.url)
    return { ...presentDaemon(daemon.info()), database }
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
