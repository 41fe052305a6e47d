import { UserError } from "../../base/errors.ts"
import { newTimedId } from "../../base/random.ts"
import type { WriteContext } from "../../storage/core.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import {
  contextSchema,
  type Decider,
  digestOf,
  type NewRequest,
  type PermissionRequest,
  type RequestedCall,
  type RequestState,
  subjectsOf,
} from "./request.ts"

type Row = Omit<PermissionRequest, "description" | "rationale" | "context" | "call" | "wait" | "decision"> & {
  waits: number
  shown: string
  at: number | null
  who: string | null
  from: string | null
  answer: string | null
  edited: string | null
}

const columns = sql`id, asked_by as "askedBy", project, action, urgency, waits, state, shown, digest,
  created_at as "createdAt", expires_at as "expiresAt", decided_at as "at", decided_by as "who", decided_from as "from",
  answer, edited, outcome`

function toRequest({ waits, shown, at, who, from, answer, edited, ...row }: Row): PermissionRequest {
  const { description = "", rationale = "", context = {}, call = null } = JSON.parse(shown)
  const isDecided = at !== null && who !== null && from !== null
  const input = edited === null ? null : JSON.parse(edited)
  return {
    ...row,
    description,
    rationale,
    wait: waits === 1,
    context: contextSchema.parse(context),
    call,
    decision: isDecided ? { at, who, from, text: answer, input } : null,
  }
}

/** Adds a request. An identical request that is still pending is returned instead. */
export async function addRequest(
  transaction: Transaction,
  { install, random, now }: WriteContext,
  request: NewRequest,
  by: By,
): Promise<PermissionRequest> {
  const digest = digestOf(request)
  const [waiting] = await transaction.read<Row>(sql`
    select ${columns} from permission_requests
    where install = ${install} and digest = ${digest} and state = 'pending' and expires_at > ${now}`)
  if (waiting !== undefined) return toRequest(waiting)
  const id = newTimedId(random, now, "ask")
  const { description, rationale, context, call } = request
  const shown = JSON.stringify({ description, rationale, context, call })
  await transaction.run(sql`
    insert into permission_requests
      (id, install, asked_by, project, action, urgency, waits, state, shown, digest, created_at, expires_at)
    values (${id}, ${install}, ${request.askedBy}, ${request.project}, ${request.action}, ${request.urgency},
      ${request.wait ? 1 : 0}, 'pending', ${shown}, ${digest}, ${now}, ${Math.round(request.expiresAt)})`)
  const data = {
    action: request.action,
    project: request.project,
    urgency: request.urgency,
    description,
    digest,
  }
  await appendEntry(transaction, { ...by, at: now, kind: "permission.requested", subject: id, data })
  const undecided = { state: "pending", decision: null, outcome: null } as const
  return { ...request, ...undecided, id, digest, createdAt: now }
}

/** A person's decision. */
export type Decision =
  | { kind: "approve"; input?: RequestedCall["input"] | undefined }
  | { kind: "deny"; text?: string | undefined }
  | { kind: "respond"; text: string }

const stateAfter = { approve: "approved", deny: "denied", respond: "answered" } as const

/**
 * Saves a person's decision, once: the first decision counts, and none after the request has expired. The digest is of
 * what they were shown; it must match the request.
 */
export async function decideRequest(
  transaction: Transaction,
  { id, digest, now }: { id: string; digest: string; now: number },
  decision: Decision,
  { who, from }: Decider,
  by: By,
): Promise<PermissionRequest> {
  const state = stateAfter[decision.kind]
  const text = decision.kind === "approve" ? null : (decision.text ?? null)
  const edited = decision.kind === "approve" && decision.input ? JSON.stringify(decision.input) : null
  const changed = await transaction.run(sql`
    update permission_requests
    set state = ${state}, decided_at = ${now}, decided_by = ${who}, decided_from = ${from},
      answer = ${text}, edited = ${edited}
    where id = ${id} and digest = ${digest} and state = 'pending' and expires_at > ${now}`)
  const request = await readRequest(transaction, sql`id = ${id}`)
  if (request === undefined) throw new UserError("not-found", noSuchRequest(id))
  if (changed === 0) throw new UserError("conflict", whyNotDecided(request, digest, now))
  const data = { who, from, text, ...(edited === null ? {} : { input: JSON.parse(edited) }) }
  await appendEntry(transaction, { ...by, at: now, kind: `permission.${state}`, subject: id, data })
  return request
}

function whyNotDecided(
  { id, state, digest, expiresAt }: PermissionRequest,
  shown: string,
  now: number,
): string {
  if (digest !== shown) return `Not decided: ${id} is not what was shown; read it again.`
  if (state === "expired" || (state === "pending" && expiresAt <= now))
    return `Not decided: ${id} has expired.`
  return `Not decided: ${id} is already ${state}.`
}

export function noSuchRequest(id: string): string {
  return `There is no request ${id}; \`reverie inbox\` lists them.`
}

/** Marks overdue requests as expired. */
export async function expireRequests(
  transaction: Transaction,
  { install, now }: Pick<WriteContext, "install" | "now">,
  by: By,
): Promise<PermissionRequest[]> {
  const due = await readRequests(
    transaction,
    sql`install = ${install} and state = 'pending' and expires_at <= ${now}`,
  )
  for (const { id } of due) {
    await transaction.run(
      sql`update permission_requests set state = 'expired' where id = ${id} and state = 'pending'`,
    )
    await appendEntry(transaction, { ...by, at: now, kind: "permission.expired", subject: id })
  }
  return due.map((request) => ({ ...request, state: "expired" }))
}

/** Claims an approved call for running; undefined if another process has it or there is no call. */
export async function claimApproved(
  transaction: Transaction,
  { id, now }: { id: string; now: number },
  by: By,
): Promise<RequestedCall | undefined> {
  const request = await readRequest(transaction, sql`id = ${id} and state = 'approved'`)
  if (request?.call == null) return undefined
  const changed = await transaction.run(
    sql`update permission_requests set state = 'running' where id = ${id} and state = 'approved'`,
  )
  if (changed === 0) return undefined
  await appendEntry(transaction, { ...by, at: now, kind: "permission.started", subject: id })
  return { tool: request.call.tool, input: request.decision?.input ?? request.call.input }
}

/** Saves the result of an approved call. */
export async function finishRequest(
  transaction: Transaction,
  { id, now }: { id: string; now: number },
  { state, outcome }: { state: "done" | "failed"; outcome: string },
  by: By,
): Promise<boolean> {
  const changed = await transaction.run(sql`
    update permission_requests set state = ${state}, outcome = ${outcome} where id = ${id} and state = 'running'`)
  if (changed === 0) return false
  await appendEntry(transaction, {
    ...by,
    at: now,
    kind: `permission.${state}`,
    subject: id,
    data: { outcome },
  })
  return true
}

/** Requests in these states, the most urgent first, then the oldest. */
export async function listRequests(
  on: Reader,
  install: string,
  states: readonly RequestState[] | "all",
  limit = 200,
): Promise<PermissionRequest[]> {
  const which = states === "all" ? sql`true` : sql`state in ${sqlList(states)}`
  const found = await readRequests(
    on,
    sql`install = ${install} and ${which} order by created_at desc limit ${limit}`,
  )
  const rank = { high: 0, normal: 1, low: 2 }
  return found.toSorted((a, b) => rank[a.urgency] - rank[b.urgency] || a.createdAt - b.createdAt)
}

/** One request, by its id or the beginning or end of it. */
export async function findRequest(
  on: Reader,
  install: string,
  id: string,
): Promise<PermissionRequest | undefined> {
  // A shorter id, or one with other characters, could match any request.
  if (!/^\w{6,}$/.test(id)) return undefined
  const part = id.replaceAll("_", "\\_")
  const [first, second] = await readRequests(
    on,
    sql`install = ${install} and (id like ${`${part}%`} escape '\\' or id like ${`%${part}`} escape '\\') order by id limit 2`,
  )
  if (second !== undefined && first?.id !== id)
    throw new UserError("usage", `Several requests begin with ${id}; give more of it.`)
  return first
}

/** Decisions that were not yet reported to the agent that asked, oldest first. */
export function unreportedDecisions(
  on: Reader,
  install: string,
  askedBy?: string,
): Promise<PermissionRequest[]> {
  const whose = askedBy === undefined ? sql`true` : sql`asked_by = ${askedBy}`
  return readRequests(
    on,
    sql`install = ${install} and ${whose} and told_at is null and waits = 1
      and state in ('done', 'failed', 'denied', 'answered', 'expired', 'approved') order by decided_at, id`,
  )
}

export async function markReported(
  transaction: Transaction,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return
  await transaction.run(
    sql`update permission_requests set told_at = ${now} where id in ${sqlList(ids)} and told_at is null`,
  )
}

/** At most this many past decisions are checked. */
const mostDecided = 200

/**
 * The consecutive denials of this action since it was last approved: the same kind of action, or the same call, change or
 * text under another name. An action without a project counts the denials of all projects.
 */
export async function denialsOf(
  on: Reader,
  {
    install,
    project,
    ...asked
  }: { install: string; project: string | null } & Parameters<typeof subjectsOf>[0],
): Promise<PermissionRequest[]> {
  const where = project === null ? sql`true` : sql`coalesce(project, ${project}) = ${project}`
  const found = await readRequests(
    on,
    sql`install = ${install} and ${where} and state in ('denied', 'approved', 'running', 'done', 'failed')
      order by decided_at desc, id desc limit ${mostDecided}`,
  )
  const subjects = subjectsOf(asked)
  const decided = found.filter((one) => subjectsOf(one).some((subject) => subjects.includes(subject)))
  const approved = decided.findIndex(({ state }) => state !== "denied")
  return approved === -1 ? decided : decided.slice(0, approved)
}

async function readRequest(on: Reader, where: Sql): Promise<PermissionRequest | undefined> {
  return (await readRequests(on, where))[0]
}

async function readRequests(on: Reader, where: Sql): Promise<PermissionRequest[]> {
  const rows = await on.read<Row>(sql`select ${columns} from permission_requests where ${where}`)
  return rows.map(toRequest)
}
