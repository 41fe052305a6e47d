import { newId, type Random } from "../base/random.ts"
import type { Database } from "./database.ts"
import { appendEntry, type By, type JournalKind } from "./journal.ts"
import { sql } from "./sql.ts"

/** A right that one holder has until it expires, unless it is renewed in time. */
export interface Lease {
  name: string
  /** Proves to be the holder; a lease that was taken over has another. */
  token: string
}

/** Who holds a lease, with what it told about itself. */
export interface Holder<Info> {
  token: string
  info: Info
  expiresAt: number
  expired: boolean
}

interface LeaseRow {
  token: string
  info: string
  expires_at: number
  now: number
}

interface Acquire<Info> {
  name: string
  ttlMs: number
  info: Info
  /** What to write in the journal when it is acquired. */
  entry: By & { kind: JournalKind }
  /** A holder that is known to be dead may be replaced before its time is up. */
  replace?: string
}

type Acquired<Info> = { outcome: "acquired"; lease: Lease } | { outcome: "held"; by: Holder<Info> }

/** Takes the lease if it is free, expired, or held by the one to replace. Times are the database's own. */
export async function acquireLease<Info extends object>(
  needs: { db: Database; random: Random },
  wanted: Acquire<Info>,
): Promise<Acquired<Info>> {
  const token = newId(needs.random, "lease")
  const now = needs.db.now()
  return needs.db.write(async (transaction) => {
    const [row] = await transaction.read<LeaseRow>(sql`
      select token, info, expires_at, ${now} as now from leases where name = ${wanted.name}`)
    const free = row === undefined || row.expires_at <= row.now || row.token === wanted.replace
    if (!free) return { outcome: "held", by: holderOf<Info>(row) }
    await transaction.run(sql`
      insert into leases (name, token, info, acquired_at, expires_at)
      values (${wanted.name}, ${token}, ${JSON.stringify(wanted.info)}, ${now}, ${now} + ${wanted.ttlMs})
      on conflict (name) do update set token = excluded.token, info = excluded.info,
        acquired_at = excluded.acquired_at, expires_at = excluded.expires_at`)
    const [time] = await transaction.read<{ at: number }>(sql`
      select acquired_at as at from leases where name = ${wanted.name}`)
    await appendEntry(transaction, {
      ...wanted.entry,
      at: time?.at ?? 0,
      subject: wanted.name,
      data: wanted.info,
    })
    return { outcome: "acquired", lease: { name: wanted.name, token } }
  })
}

/** Keeps the lease for another while, optionally telling something new; false if it is no longer ours. */
export async function renewLease(db: Database, lease: Lease, ttlMs: number, info?: object): Promise<boolean> {
  const told = info === undefined ? sql`info` : sql`${JSON.stringify(info)}`
  const changed = await db.write((transaction) =>
    transaction.run(sql`
      update leases set expires_at = ${db.now()} + ${ttlMs}, info = ${told}
      where name = ${lease.name} and token = ${lease.token}`),
  )
  return changed === 1
}

/** Gives the lease back, if it is still ours. */
export async function releaseLease(
  db: Database,
  lease: Lease,
  entry: By & { kind: JournalKind },
): Promise<void> {
  await db.write(async (transaction) => {
    const [time] = await transaction.read<{ now: number }>(sql`select ${db.now()} as now`)
    const gone = await transaction.run(
      sql`delete from leases where name = ${lease.name} and token = ${lease.token}`,
    )
    if (gone === 1) await appendEntry(transaction, { ...entry, at: time?.now ?? 0, subject: lease.name })
  })
}

/** Who holds the lease now, or undefined. An expired holder is shown as such. */
export async function leaseHolder<Info extends object>(
  db: Database,
  name: string,
): Promise<Holder<Info> | undefined> {
  const [row] = await db.read<LeaseRow>(sql`
    select token, info, expires_at, ${db.now()} as now from leases where name = ${name}`)
  return row === undefined ? undefined : holderOf<Info>(row)
}

function holderOf<Info>(row: LeaseRow): Holder<Info> {
  return {
    token: row.token,
    info: JSON.parse(row.info),
    expiresAt: row.expires_at,
    expired: row.expires_at <= row.now,
  }
}
