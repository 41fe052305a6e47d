import { startLoop } from "../../base/loop.ts"
import type { InstallCore } from "../../storage/core.ts"
import { newOperation } from "../../storage/journal.ts"
import { acquireLease, type Lease, leaseHolder, releaseLease, renewLease } from "../../storage/leases.ts"

interface GardenerInfo {
  install: string
}

const name = "gardener"
/** The lifetime of the lease, and how often it is renewed. */
const leaseMs = 60_000
const renewMs = 15_000

/** Until when another installation has the lease for this memory; null if none does. */
export async function gardenedElsewhereUntil({
  db,
  install,
}: Pick<InstallCore, "db" | "install">): Promise<number | null> {
  const holder = await leaseHolder<GardenerInfo>(db, name)
  return holder && !holder.expired && holder.info.install !== install ? holder.expiresAt : null
}

/** Works as the only gardener of this memory. The signal also aborts when another installation takes over. */
export async function asGardener(
  needs: InstallCore,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lease = await acquire(needs)
  const lost = new AbortController()
  const keep = startRenewing(needs, lease, () => lost.abort(new Error("another machine took over")))
  try {
    await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    await keep.stop()
    await releaseLease(needs.db, lease, { ...newOperation(needs, "daemon"), kind: "gardener.left" })
  }
}

/** Acquires the lease; one that this installation left in a crash is replaced at once. */
async function acquire(needs: InstallCore): Promise<Lease> {
  const info: GardenerInfo = { install: needs.install }
  const wanted = {
    name,
    ttlMs: leaseMs,
    info,
    entry: { ...newOperation(needs, "daemon"), kind: "gardener.came" as const },
  }
  const first = await acquireLease(needs, wanted)
  if (first.outcome === "acquired") return first.lease
  if (first.by.info.install === needs.install) {
    const second = await acquireLease(needs, { ...wanted, replace: first.by.token })
    if (second.outcome === "acquired") return second.lease
  }
  throw new Error("another machine began to tend this memory")
}

function startRenewing({ db, clock, log }: InstallCore, lease: Lease, onLost: () => void) {
  const work = async () => {
    if (await renewLease(db, lease, leaseMs)) return renewMs
    onLost()
    return Number.POSITIVE_INFINITY
  }
  const problem = "The gardener's lease could not be renewed; trying again"
  return startLoop({ clock, log }, { work, firstMs: renewMs, problem, retryMs: renewMs })
}
