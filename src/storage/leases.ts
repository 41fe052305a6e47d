import { newId, type Random } from "../base/random.ts"
import type { Database } from "./database.ts"
import { appendEntry, type By, type JournalKind } from "./journal.ts"
import { sql } from "./sql.ts"

/** An exclusive right that expires unless its holder renews it. */
export interface Lease {
  name: string
  /** Identifies the holder; it changes when another takes the lease over. */
  token: string
}

/** The holder of a lease, with the information it stored. */
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

interface LeaseRequest<Info> {
  name: string
  ttlMs: number
  info: Info
  /** The journal entry for the acquisition. */
  entry: By & { kind: JournalKind }
  /** The token of a dead holder, which is replaced before its lease expires. */
  replace?: string
}

type LeaseResult<Info> = { outcome: "acquired"; lease: Lease } | { outcome: "held"; by: Holder<Info> }

/** Takes the lease if it is free, expired, or held by `replace`. Times are the database's. */
export async function acquireLease<Info extends object>(
  needs: { db: Database; random: Random },
  wanted: LeaseRequest<Info>,
): Promise<LeaseResult<Info>> {
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

/** Renews the lease, optionally with new information; false if it is no longer ours. */
export async function renewLease(db: Database, lease: Lease, ttlMs: number, info?: object): Promise<boolean> {
  const newInfo = info === undefined ? sql`info` : sql`${JSON.stringify(info)}`
  const changed = await db.write((transaction) =>
    transaction.run(sql`
      update leases set expires_at = ${db.now()} + ${ttlMs}, info = ${newInfo}
      where name = ${lease.name} and token = ${lease.token}`),
  )
  return changed === 1
}

/** Releases the lease if it is still ours. */
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

/** The current holder, which may be expired; undefined if there is none. */
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
