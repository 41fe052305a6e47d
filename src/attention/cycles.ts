import { UserError } from "../base/errors.ts"
import { newTimedId } from "../base/random.ts"
import type { Message, ModelRef } from "../llm/choice/access.ts"
import type { CallsOfModel } from "../llm/ledger.ts"
import type { InstallCore } from "../storage/core.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { type Sql, sql } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"

export type CycleStatus = "running" | "complete" | "incomplete" | "interrupted"

/** One operation of a cycle on the memory; undo accepts its id. */
interface CycleChange {
  name: string
  operation: string
  changed: number
  /** Describes what it changed. */
  words?: string[]
}

/** What a cycle did, cost, and how to undo it. */
export interface Receipt {
  deeds: CycleChange[]
  tokens: { input: number; cachedInput: number; output: number }
  costUsd: number
  calls: number
  compactions: number
  /** How many percent of each window of the subscription it used, if known. */
  windows: { id: string; percent: number }[]
  /** Questions that are still open, for the user or the next cycle. */
  open: { kind: string; memories: string[]; note: string }[]
  /** The agent's permission requests. */
  requests: { id?: string; action: string; description: string }[]
  warnings: string[]
  /** The calls of each model, by purpose. */
  models: CallsOfModel[]
  /** What the scout found: sessions, commits and suggestions. */
  found: string[]
}

export function emptyReceipt(): Receipt {
  const lists = { deeds: [], windows: [], open: [], requests: [], warnings: [], models: [], found: [] }
  const tokens = { input: 0, cachedInput: 0, output: 0 }
  return { ...lists, tokens, costUsd: 0, calls: 0, compactions: 0 }
}

interface Todo {
  text: string
  done: boolean
  /** How many complete cycles have passed it on. */
  handedOver?: number
}

/** How far a running cycle is; the next one continues there after a crash. */
export interface Progress {
  phase: "gardening" | "talking"
  todos: Todo[]
  /** The queue items that it claimed. */
  items: string[]
  /** How far the garden is; absent if it was done at once. */
  garden?: { done: number; of: number; work: string }
}

/** One run of the tending activity. */
export interface Cycle {
  id: string
  startedAt: number
  endedAt: number | null
  status: CycleStatus
  /** Why it started. */
  trigger: string
  model: string | null
  summary: string | null
  receipt: Receipt
  progress: Progress
  verdict: Verdict | null
}

/** The user's verdict on a cycle. */
export type Verdict = "approved" | "rejected" | "undone"

type Row = Omit<Cycle, "receipt" | "progress"> & { receipt: string; progress: string }

const columns = sql`id, started_at as "startedAt", ended_at as "endedAt", status, trigger_kind as "trigger", model,
  summary, receipt, progress, verdict`

/** The cycles that match a condition, which may end with an order and a limit. */
async function readCycles(on: Reader, where: Sql): Promise<Cycle[]> {
  const rows = await on.read<Row>(sql`select ${columns} from cycles where ${where}`)
  return rows.map((row) => ({
    ...row,
    receipt: { ...emptyReceipt(), ...JSON.parse(row.receipt) },
    progress: JSON.parse(row.progress),
  }))
}

export async function beginCycle(
  transaction: Transaction,
  { install, random, now }: Pick<InstallCore, "install" | "random"> & { now: number },
  { trigger, items }: { trigger: string; items: string[] },
  by: By,
): Promise<Cycle> {
  const id = newTimedId(random, now, "cycle")
  const progress: Progress = { phase: "gardening", todos: [], items }
  await transaction.run(sql`
    insert into cycles (id, install, started_at, status, trigger_kind, receipt, progress)
    values (${id}, ${install}, ${now}, 'running', ${trigger}, ${JSON.stringify(emptyReceipt())},
      ${JSON.stringify(progress)})`)
  const data = { trigger, items }
  await appendEntry(transaction, { ...by, at: now, kind: "cycle.started", subject: id, data })
  return {
    id,
    startedAt: now,
    endedAt: null,
    status: "running",
    trigger,
    model: null,
    summary: null,
    receipt: emptyReceipt(),
    progress,
    verdict: null,
  }
}

/** Saves how far a cycle is. Progress is not journaled. */
export async function saveProgress(
  transaction: Transaction,
  id: string,
  change: { progress?: Progress; receipt?: Receipt; model?: ModelRef },
): Promise<void> {
  const { progress, receipt, model } = change
  await transaction.run(sql`
    update cycles set progress = coalesce(${progress ? JSON.stringify(progress) : null}, progress),
      receipt = coalesce(${receipt ? JSON.stringify(receipt) : null}, receipt),
      model = coalesce(${model ? `${model.access}/${model.model}` : null}, model) where id = ${id}`)
}

/** Adds a message to the transcript. */
export async function saveMessage(
  transaction: Transaction,
  { cycle, position, at }: { cycle: string; position: number; at: number },
  message: Message,
): Promise<void> {
  const { native, ...plain } = message.role === "assistant" ? message : { ...message, native: undefined }
  await transaction.run(sql`
    insert into cycle_messages (cycle, position, at, message)
    values (${cycle}, ${position}, ${at}, ${JSON.stringify(plain)})
    on conflict (cycle, position) do nothing`)
}

/** Ends a cycle; false if it has already ended. */
export async function endCycle(
  transaction: Transaction,
  { id, now }: { id: string; now: number },
  ended: { status: Exclude<CycleStatus, "running">; summary: string; receipt: Receipt },
  by: By,
): Promise<boolean> {
  const { status, summary, receipt } = ended
  const changed = await transaction.run(sql`
    update cycles set status = ${status}, summary = ${summary}, receipt = ${JSON.stringify(receipt)}, ended_at = ${now}
    where id = ${id} and status = 'running'`)
  if (changed === 0) return false
  const data = { status, summary }
  await appendEntry(transaction, { ...by, at: now, kind: "cycle.ended", subject: id, data })
  return true
}

/** Saves the user's verdict on a cycle. */
export async function saveVerdict(
  transaction: Transaction,
  { id, now }: { id: string; now: number },
  verdict: Verdict,
  entry: By & { data?: unknown },
): Promise<void> {
  await transaction.run(sql`update cycles set verdict = ${verdict} where id = ${id}`)
  await appendEntry(transaction, { ...entry, at: now, kind: `cycle.${verdict}`, subject: id })
}

/** How many approved cycles since a time did something or asked a model. */
export async function countApproved(on: Reader, install: string, since: number): Promise<number> {
  const [row] = await on.read<{ approved: number }>(sql`
    select count(*) as approved from cycles where install = ${install} and status = 'complete'
      and started_at > ${since} and verdict = 'approved' and (model is not null or receipt not like '%"deeds":[]%')`)
  return row?.approved ?? 0
}

/** Cycles whose process died while they were running. */
export function interruptedCycles(on: Reader, install: string): Promise<Cycle[]> {
  return readCycles(on, sql`install = ${install} and status = 'running' order by started_at`)
}

/** The last cycle that started before now; ignores those that a wrong clock dated in the future. */
export async function lastCycle(on: Reader, install: string, now: number): Promise<Cycle | undefined> {
  const newest = sql`install = ${install} and started_at <= ${now} order by started_at desc, id desc limit 1`
  return (await readCycles(on, newest))[0]
}

/** The newest cycles, newest first. */
export function listCycles(on: Reader, install: string, limit: number): Promise<Cycle[]> {
  return readCycles(on, sql`install = ${install} order by started_at desc, id desc limit ${limit}`)
}

/** One cycle, by its id or a unique beginning or end of it. */
export async function findCycle(on: Reader, install: string, id: string): Promise<Cycle | undefined> {
  const isMatch = sql`(id like ${`${id}%`} or id like ${`%${id}`})`
  const [cycle, other] = await readCycles(on, sql`install = ${install} and ${isMatch} order by id limit 2`)
  if (other !== undefined && cycle?.id !== id)
    throw new UserError("usage", `Several cycles begin with ${id}; give more of it.`)
  return cycle
}

/** One cycle with its transcript. Throws if there is none. */
export async function requireCycle(
  on: Reader,
  install: string,
  id: string,
): Promise<Cycle & { messages: { at: number; message: Message }[] }> {
  const cycle = await findCycle(on, install, id)
  if (cycle === undefined)
    throw new UserError("not-found", `There is no cycle ${id}; \`reverie cycles\` lists them.`)
  const messages = await on.read<{ at: number; message: string }>(sql`
    select at, message from cycle_messages where cycle = ${cycle.id} order by position`)
  return {
    ...cycle,
    messages: messages.map(({ at, message }) => ({ at, message: JSON.parse(message) as Message })),
  }
}
