import { UserError } from "../base/errors.ts"
import { newTimedId } from "../base/random.ts"
import type { Message, ModelRef } from "../llm/choice/access.ts"
import type { CallsOfModel } from "../llm/ledger.ts"
import type { InstallCore } from "../storage/core.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { type Sql, sql } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"

/** How a cycle ended, or that it runs. */
export type CycleStatus = "running" | "complete" | "incomplete" | "interrupted"

/** One thing a cycle did to the memory, which can be taken back by its operation. */
interface Deed {
  name: string
  operation: string
  changed: number
  /** What it changed, in words. */
  words?: string[]
}

/** What a cycle did, cost, and how to undo it. */
export interface Receipt {
  deeds: Deed[]
  tokens: { input: number; cachedInput: number; output: number }
  costUsd: number
  calls: number
  compactions: number
  /** How much of each window of the subscription it used, in percent, where that is known. */
  windows: { id: string; percent: number }[]
  /** What rules left open and nobody has judged: for the user, or the next cycle. */
  open: { kind: string; memories: string[]; note: string }[]
  /** What the agent asked the user for. */
  requests: { id?: string; action: string; description: string }[]
  warnings: string[]
  /** The calls of each model, and what they were for. */
  models: CallsOfModel[]
  /** What was seen around the memory: sessions, commits, and what could be worth doing. */
  found: string[]
}

/** The receipt of a cycle that has done nothing yet. */
export function emptyReceipt(): Receipt {
  const lists = { deeds: [], windows: [], open: [], requests: [], warnings: [], models: [], found: [] }
  const tokens = { input: 0, cachedInput: 0, output: 0 }
  return { ...lists, tokens, costUsd: 0, calls: 0, compactions: 0 }
}

/** Something that the agent plans in a cycle. */
interface Todo {
  text: string
  done: boolean
  /** How many cycles that ended well have handed it over. */
  handedOver?: number
}

/** How far a running cycle is: enough to go on after a crash. */
export interface Progress {
  phase: "gardening" | "talking"
  todos: Todo[]
  /** Queue items it took. */
  items: string[]
  /** How far the garden is; where that took no time worth telling, it is not there. */
  garden?: { done: number; of: number; work: string }
}

/** One run of the tending activity. */
export interface Cycle {
  id: string
  startedAt: number
  endedAt: number | null
  status: CycleStatus
  /** What it was begun for. */
  trigger: string
  model: string | null
  summary: string | null
  receipt: Receipt
  progress: Progress
  /** What the user thought of it, if they said so. */
  verdict: Verdict | null
}

/** The user approved it, rejected it, or took it back. */
export type Verdict = "approved" | "rejected" | "undone"

type Row = Omit<Cycle, "receipt" | "progress"> & { receipt: string; progress: string }

const columns = sql`id, started_at as "startedAt", ended_at as "endedAt", status, trigger_kind as "trigger", model,
  summary, receipt, progress, verdict`

/** The cycles that fulfil a condition, in the order that stands behind it. */
async function readCycles(on: Reader, where: Sql): Promise<Cycle[]> {
  const rows = await on.read<Row>(sql`select ${columns} from cycles where ${where}`)
  return rows.map((row) => ({
    ...row,
    receipt: { ...emptyReceipt(), ...JSON.parse(row.receipt) },
    progress: JSON.parse(row.progress),
  }))
}

/** Begins a cycle. */
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
  await appendEntry(transaction, {
    ...by,
    at: now,
    kind: "cycle.started",
    subject: id,
    data: { trigger, items },
  })
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

/** Keeps how far a cycle is. It is no change that anybody needs to be told of. */
export async function keepProgress(
  transaction: Transaction,
  id: string,
  change: { progress?: Progress; receipt?: Receipt; model?: ModelRef },
): Promise<void> {
  const { progress, receipt, model } = change
  if (progress)
    await transaction.run(sql`update cycles set progress = ${JSON.stringify(progress)} where id = ${id}`)
  if (receipt)
    await transaction.run(sql`update cycles set receipt = ${JSON.stringify(receipt)} where id = ${id}`)
  if (model)
    await transaction.run(sql`update cycles set model = ${`${model.access}/${model.model}`} where id = ${id}`)
}

/** Adds a message to the transcript as it comes. */
export async function keepMessage(
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

/** Ends a cycle, once. */
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
  await appendEntry(transaction, {
    ...by,
    at: now,
    kind: "cycle.ended",
    subject: id,
    data: { status, summary },
  })
  return true
}

/** Keeps what the user thinks of a cycle. */
export async function keepVerdict(
  transaction: Transaction,
  { id, now }: { id: string; now: number },
  verdict: Verdict,
  entry: By & { data?: unknown },
): Promise<void> {
  await transaction.run(sql`update cycles set verdict = ${verdict} where id = ${id}`)
  await appendEntry(transaction, { ...entry, at: now, kind: `cycle.${verdict}`, subject: id })
}

/** How many cycles since a moment the user approved that did or said something; idle ones do not count. */
export async function countApproved(on: Reader, install: string, since: number): Promise<number> {
  const [row] = await on.read<{ good: number }>(sql`
    select count(*) as good from cycles where install = ${install} and status = 'complete'
      and started_at > ${since} and verdict = 'approved' and (model is not null or receipt not like '%"deeds":[]%')`)
  return row?.good ?? 0
}

/** Cycles that were running when their process died. */
export function leftOverCycles(on: Reader, install: string): Promise<Cycle[]> {
  return readCycles(on, sql`install = ${install} and status = 'running' order by started_at`)
}

/** The last cycle that began before now; one that a clock which was ahead has dated later says nothing. */
export async function lastCycle(on: Reader, install: string, now: number): Promise<Cycle | undefined> {
  const newest = sql`install = ${install} and started_at <= ${now} order by started_at desc, id desc limit 1`
  return (await readCycles(on, newest))[0]
}

/** The newest cycles, newest first. */
export function listCycles(on: Reader, install: string, limit: number): Promise<Cycle[]> {
  return readCycles(on, sql`install = ${install} order by started_at desc, id desc limit ${limit}`)
}

/** One cycle, by its id or the beginning or end of it. */
export async function findCycle(on: Reader, install: string, id: string): Promise<Cycle | undefined> {
  const meant = sql`(id like ${`${id}%`} or id like ${`%${id}`})`
  const [cycle, other] = await readCycles(on, sql`install = ${install} and ${meant} order by id limit 2`)
  if (other !== undefined && cycle?.id !== id)
    throw new UserError("usage", `Several cycles begin with ${id}; give more of it.`)
  return cycle
}

/** One cycle with its transcript; a sentence if there is none. */
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
