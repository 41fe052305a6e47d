import { hostname } from "node:os"
import type { DaemonInfo } from "./api/contract/program-answers.ts"
import { refuseBusySocket } from "./api/serve.ts"
import { isDaemonUp } from "./api/socket-fetch.ts"
import { UserError } from "./base/errors.ts"
import { startLoop } from "./base/loop.ts"
import { isAlive } from "./base/processes.ts"
import type { Paths } from "./config/paths.ts"
import type { InstallCore } from "./storage/core.ts"
import type { By } from "./storage/journal.ts"
import { acquireLease, type Lease, leaseHolder, renewLease } from "./storage/leases.ts"

/** How long a lease is valid, and how often the daemon renews it. */
export const leaseMs = 30_000
const heartbeatMs = 10_000

interface LeaseContext extends InstallCore {
  paths: Pick<Paths, "socket">
}

/** Throws if another daemon, or anything else, answers on our socket. */
export async function refuseSecondDaemon({ db, install, paths }: LeaseContext): Promise<void> {
  if (!(await isDaemonUp(paths.socket))) return
  const holder = await leaseHolder<DaemonInfo>(db, `daemon/${install}`)
  if (holder && !isProcessGone(holder.info)) throw alreadyRunning(holder.info)
  await refuseBusySocket(paths.socket)
}

function alreadyRunning({ pid }: DaemonInfo): UserError {
  const advice = "use it, or stop it with `reverie stop`."
  return new UserError("conflict", `The daemon is already running (pid ${pid}); ${advice}`)
}

function leaseFor(needs: LeaseContext, info: DaemonInfo, by: By) {
  const entry = { ...by, kind: "daemon.started" as const }
  return { name: `daemon/${needs.install}`, ttlMs: leaseMs, info, entry }
}

/** Takes the installation's only daemon lease. A holder whose process is gone is replaced immediately. */
export async function takeLease(needs: LeaseContext, info: DaemonInfo, by: By): Promise<Lease> {
  const wanted = leaseFor(needs, info, by)
  const first = await acquireLease(needs, wanted)
  if (first.outcome === "acquired") return first.lease
  if (isProcessGone(first.by.info)) {
    const second = await acquireLease(needs, { ...wanted, replace: first.by.token })
    if (second.outcome === "acquired") {
      needs.log.warn("Replaced a daemon that had died", { pid: first.by.info.pid })
      return second.lease
    }
  }
  throw alreadyRunning(first.by.info)
}

/**
 * Whether the lease's process no longer exists, which is only known for this machine. A holder with our own process id
 * is dead too: in a container every daemon has the same id.
 */
function isProcessGone(info: DaemonInfo): boolean {
  return info.host === hostname() && (info.pid === process.pid || !isAlive(info.pid))
}

/** Renews the lease, or takes it again if it expired; false if another daemon has it. */
export async function keepLease(
  needs: LeaseContext,
  held: { lease: Lease },
  info: DaemonInfo,
  by: By,
): Promise<boolean> {
  if (await renewLease(needs.db, held.lease, leaseMs)) return true
  const again = await acquireLease(needs, leaseFor(needs, info, by))
  if (again.outcome === "acquired") held.lease = again.lease
  return again.outcome === "acquired"
}

/** Renews the lease regularly. A database that is unreachable for a while does not stop the daemon. */
export function startHeartbeat(
  needs: LeaseContext,
  keep: () => Promise<boolean>,
  onLost: () => void,
): () => Promise<void> {
  const work = async () => {
    if (await keep()) return heartbeatMs
    needs.log.error("Another daemon has taken over this installation")
    onLost()
    return Number.POSITIVE_INFINITY
  }
  const problem = "The heartbeat failed; trying again"
  return startLoop(needs, { work, firstMs: heartbeatMs, problem, retryMs: heartbeatMs }).stop
}
