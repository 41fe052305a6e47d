import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { encodeBase32, type Random } from "../../base/random.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { PermissionRequest } from "./request.ts"

/** What links and codes are made and checked with: known to this installation only. */
export interface ApprovalKey {
  install: string
  secret: Uint8Array
}

/** Derives the key of links and codes from the installation's own secret. */
export function approvalKey({ install, token }: { install: string; token: string }): ApprovalKey {
  return { install, secret: new Uint8Array(hkdfSync("sha256", token, install, "reverie approvals", 32)) }
}

/** A link or code that was given out: what it is for, to whom, how long, and whether it was used. */
export interface IssuedToken {
  id: string
  request: string
  digest: string
  person: string
  expiresAt: number
  usedAt: number | null
}

const columns = sql`id, request, digest, person, expires_at as "expiresAt", used_at as "usedAt"`

interface Grant {
  request: Pick<PermissionRequest, "id" | "digest">
  person: string
  expiresAt: number
}

/** A new link token, which lets one person decide one request as it stands now, once. */
export async function issueToken(
  transaction: Transaction,
  { key, random }: { key: ApprovalKey; random: Random },
  grant: Grant,
): Promise<string> {
  const id = Buffer.from(random.bytes(16)).toString("base64url")
  const row = await keep(transaction, key, id, grant)
  return `${id}.${signature(key, row)}`
}

/** A new short code, which does the same for a person who answers by words. It counts only from that person. */
export async function issueCode(
  transaction: Transaction,
  { key, random }: { key: ApprovalKey; random: Random },
  grant: Grant,
): Promise<string> {
  const code = encodeBase32(random.bytes(5))
  await keep(transaction, key, codeId(key, grant.person, code), grant)
  return code
}

/** What a link token was given out for; undefined for one that is not ours, however it differs. */
export async function findToken(
  on: Reader,
  key: ApprovalKey,
  presented: string,
): Promise<IssuedToken | undefined> {
  const { id = "", mac = "" } = /^(?<id>[\w-]{22})\.(?<mac>[\w-]{43})$/.exec(presented)?.groups ?? {}
  const row = await readRow(on, key, id)
  const wanted = signature(key, row ?? noRow)
  return sameText(wanted, mac) && row !== undefined ? row : undefined
}

/** What a code was given out for; undefined for one that this person was not given. */
export async function findCode(
  on: Reader,
  key: ApprovalKey,
  { person, code }: { person: string; code: string },
): Promise<IssuedToken | undefined> {
  const row = await readRow(on, key, codeId(key, person, code))
  return row?.person === person ? row : undefined
}

/** Uses a link or code up; false if somebody did before. In the transaction of what is decided with it. */
export async function useUp(transaction: Transaction, id: string, now: number): Promise<boolean> {
  return (
    (await transaction.run(
      sql`update approval_tokens set used_at = ${now} where id = ${id} and used_at is null`,
    )) === 1
  )
}

/** Deletes links and codes that expired before a moment. */
export async function forgetTokens(transaction: Transaction, install: string, before: number): Promise<void> {
  await transaction.run(
    sql`delete from approval_tokens where install = ${install} and expires_at < ${before}`,
  )
}

async function keep(
  transaction: Transaction,
  key: ApprovalKey,
  id: string,
  grant: Grant,
): Promise<IssuedToken> {
  const { request, person } = grant
  const expires = Math.round(grant.expiresAt)
  await transaction.run(sql`
    insert into approval_tokens (id, install, request, digest, person, expires_at)
    values (${id}, ${key.install}, ${request.id}, ${request.digest}, ${person}, ${expires})`)
  return { id, request: request.id, digest: request.digest, person, expiresAt: expires, usedAt: null }
}

const noRow: IssuedToken = { id: "", request: "", digest: "", person: "", expiresAt: 0, usedAt: null }

async function readRow(on: Reader, { install }: ApprovalKey, id: string): Promise<IssuedToken | undefined> {
  const [row] = await on.read<IssuedToken>(
    sql`select ${columns} from approval_tokens where install = ${install} and id = ${id}`,
  )
  return row
}

/** Over everything the token stands for, so that a row that was changed no longer fits it. */
function signature({ install, secret }: ApprovalKey, row: IssuedToken): string {
  const { id, request, digest, person, expiresAt } = row
  const signed = JSON.stringify(["link", install, id, request, digest, person, expiresAt])
  return createHmac("sha256", secret).update(signed).digest("base64url")
}

/** A code is kept as this, so that whoever reads the database learns no code. */
function codeId({ install, secret }: ApprovalKey, person: string, code: string): string {
  const named = JSON.stringify(["code", install, person, code.toLowerCase()])
  return `code_${createHmac("sha256", secret).update(named).digest("base64url")}`
}

/** Compares in the same time wherever the difference is. */
function sameText(wanted: string, given: string): boolean {
  const [a, b] = [Buffer.from(wanted), Buffer.from(given)]
  return timingSafeEqual(a, b.length === a.length ? b : Buffer.alloc(a.length)) && a.length === b.length
}
