import { startLoop } from "../../base/loop.ts"
import { newId } from "../../base/random.ts"
import type { InstallCore } from "../../storage/core.ts"
import { acquireLease, type Lease, leaseHolder, releaseLease, renewLease } from "../../storage/leases.ts"

interface GardenerInfo {
  install: string
}

const name = "gardener"
/** How long one that fell silent keeps the others away, and how often it says that it lives. */
const leaseMs = 60_000
const renewMs = 15_000

/** Until when another installation has said to tend the same memory; null if none does. */
export async function gardenedElsewhereUntil({ db, install }: GardenerNeedsToLook): Promise<number | null> {
  const holder = await leaseHolder<GardenerInfo>(db, name)
  return holder && !holder.expired && holder.info.install !== install ? holder.expiresAt : null
}

type GardenerNeedsToLook = Pick<InstallCore, "db" | "install">

/** Works as the only one that tends this memory; the signal aborts too when somebody else took that over. */
export async function asGardener(
  needs: InstallCore,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lease = await take(needs)
  const lost = new AbortController()
  const keep = startKeeping(needs, lease, () => lost.abort(new Error("another machine took over")))
  try {
    await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    await keep.stop()
    await releaseLease(needs.db, lease, { ...by(needs), kind: "gardener.left" })
  }
}

function by({ random }: Pick<InstallCore, "random">) {
  return { operation: newId(random, "op"), actor: "daemon" }
}

/** Takes the lease; one that we ourselves left behind in a crash is replaced at once. */
async function take(needs: InstallCore): Promise<Lease> {
  const info: GardenerInfo = { install: needs.install }
  const wanted = { name, ttlMs: leaseMs, info, entry: { ...by(needs), kind: "gardener.came" as const } }
  const first = await acquireLease(needs, wanted)
  if (first.outcome === "acquired") return first.lease
  if (first.by.info.install === needs.install) {
    const second = await acquireLease(needs, { ...wanted, replace: first.by.token })
    if (second.outcome === "acquired") return second.lease
  }
  throw new Error("another machine began to tend this memory")
}

function startKeeping({ db, clock, log }: InstallCore, lease: Lease, onLost: () => void) {
  const work = async () => {
    if (await renewLease(db, lease, leaseMs)) return renewMs
    onLost()
    return Number.POSITIVE_INFINITY
  }
  const problem = "The gardener's lease could not be renewed; trying again"
  return startLoop({ clock, log }, { work, firstMs: renewMs, problem, retryMs: renewMs })
}
