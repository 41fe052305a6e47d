import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { encodeBase32, type Random } from "../../base/random.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { PermissionRequest } from "./request.ts"

/** The secret that signs links and codes. Only this installation knows it. */
export interface ApprovalKey {
  install: string
  secret: Uint8Array
}

/** Derives that key from the installation's token. */
export function approvalKey({ install, token }: { install: string; token: string }): ApprovalKey {
  return { install, secret: new Uint8Array(hkdfSync("sha256", token, install, "reverie approvals", 32)) }
}

/** An issued link or code. */
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

/** Issues a link token. It lets one person decide one request in its current form, once. */
export async function issueToken(
  transaction: Transaction,
  { key, random }: { key: ApprovalKey; random: Random },
  grant: Grant,
): Promise<string> {
  const id = Buffer.from(random.bytes(16)).toString("base64url")
  const row = await insertToken(transaction, key, id, grant)
  return `${id}.${signature(key, row)}`
}

/** Issues a short code for a person who answers by text. It is valid only from that person. */
export async function issueCode(
  transaction: Transaction,
  { key, random }: { key: ApprovalKey; random: Random },
  grant: Grant,
): Promise<string> {
  const code = encodeBase32(random.bytes(5))
  await insertToken(transaction, key, codeId(key, grant.person, code), grant)
  return code
}

/** The record of a link token; undefined for any token that we did not issue. */
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

/** The record of a code; undefined if this person was not given it. */
export async function findCode(
  on: Reader,
  key: ApprovalKey,
  { person, code }: { person: string; code: string },
): Promise<IssuedToken | undefined> {
  const row = await readRow(on, key, codeId(key, person, code))
  return row?.person === person ? row : undefined
}

/** Marks a link or code as used; false if it already was. Call it in the transaction of the decision. */
export async function consumeToken(transaction: Transaction, id: string, now: number): Promise<boolean> {
  return (
    (await transaction.run(
      sql`update approval_tokens set used_at = ${now} where id = ${id} and used_at is null`,
    )) === 1
  )
}

/** Deletes links and codes that expired before a time. */
export async function deleteExpiredTokens(
  transaction: Transaction,
  install: string,
  before: number,
): Promise<void> {
  await transaction.run(
    sql`delete from approval_tokens where install = ${install} and expires_at < ${before}`,
  )
}

async function insertToken(
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

/** Signs all fields, so that a changed row no longer matches its token. */
function signature({ install, secret }: ApprovalKey, row: IssuedToken): string {
  const { id, request, digest, person, expiresAt } = row
  const signed = JSON.stringify(["link", install, id, request, digest, person, expiresAt])
  return createHmac("sha256", secret).update(signed).digest("base64url")
}

/** Codes are stored as this hash, so that the database reveals none. */
function codeId({ install, secret }: ApprovalKey, person: string, code: string): string {
  const named = JSON.stringify(["code", install, person, code.toLowerCase()])
  return `code_${createHmac("sha256", secret).update(named).digest("base64url")}`
}

/** Compares in constant time. */
function sameText(wanted: string, presented: string): boolean {
  const [a, b] = [Buffer.from(wanted), Buffer.from(presented)]
  return timingSafeEqual(a, b.length === a.length ? b : Buffer.alloc(a.length)) && a.length === b.length
}
