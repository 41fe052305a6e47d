import { hostname } from "node:os"
import type { DaemonInfo } from "./api/contract/program-answers.ts"
import { refuseBusySocket } from "./api/serve.ts"
import { probeSocket } from "./api/socket-fetch.ts"
import { UserError } from "./base/errors.ts"
import { startLoop } from "./base/loop.ts"
import { isAlive } from "./base/processes.ts"
import type { Paths } from "./config/paths.ts"
import type { InstallCore } from "./storage/core.ts"
import type { By } from "./storage/journal.ts"
import { acquireLease, type Lease, leaseHolder, renewLease } from "./storage/leases.ts"

/** How long a daemon that fell silent keeps its lease, and how often it says that it lives. */
export const leaseMs = 30_000
const heartbeatMs = 10_000

interface LeaseNeeds extends InstallCore {
  paths: Pick<Paths, "socket">
}

/** Refuses to go on beside a daemon that answers, or beside anything else on our socket. */
export async function refuseSecond({ db, install, paths }: LeaseNeeds): Promise<void> {
  if ((await probeSocket(paths.socket)) === "nobody") return
  const holder = await leaseHolder<DaemonInfo>(db, `daemon/${install}`)
  if (holder && !isGone(holder.info)) throw alreadyRunning(holder.info)
  await refuseBusySocket(paths.socket)
}

function alreadyRunning({ pid }: DaemonInfo): UserError {
  const advice = "use it, or stop it with `reverie stop`."
  return new UserError("conflict", `The daemon is already running (pid ${pid}); ${advice}`)
}

function leaseFor(needs: LeaseNeeds, info: DaemonInfo, by: By) {
  const entry = { ...by, kind: "daemon.started" as const }
  return { name: `daemon/${needs.install}`, ttlMs: leaseMs, info, entry }
}

/** Takes the installation's one lease for a daemon; a holder whose process is gone is replaced at once. */
export async function takeLease(needs: LeaseNeeds, info: DaemonInfo, by: By): Promise<Lease> {
  const wanted = leaseFor(needs, info, by)
  const first = await acquireLease(needs, wanted)
  if (first.outcome === "acquired") return first.lease
  if (isGone(first.by.info)) {
    const second = await acquireLease(needs, { ...wanted, replace: first.by.token })
    if (second.outcome === "acquired") {
      needs.log.warn("Replaced a daemon that had died", { pid: first.by.info.pid })
      return second.lease
    }
  }
  throw alreadyRunning(first.by.info)
}

/**
 * Whether the process that holds the lease no longer exists; only this machine's can be known. A holder with our
 * own number is a dead one too: in a container every daemon has the same.
 */
function isGone(info: DaemonInfo): boolean {
  return info.host === hostname() && (info.pid === process.pid || !isAlive(info.pid))
}

/** Renews the lease. One that was lost while nobody else wanted it is taken again; false if somebody else has it. */
export async function keepLease(
  needs: LeaseNeeds,
  held: { lease: Lease },
  info: DaemonInfo,
  by: By,
): Promise<boolean> {
  if (await renewLease(needs.db, held.lease, leaseMs)) return true
  const again = await acquireLease(needs, leaseFor(needs, info, by))
  if (again.outcome === "acquired") held.lease = again.lease
  return again.outcome === "acquired"
}

/** Says again and again that the daemon lives. A database that is away for a while is no reason to die. */
export function startHeartbeat(
  needs: LeaseNeeds,
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
