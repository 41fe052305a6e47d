import { newTimedId, type Random } from "../../base/random.ts"
import { differInLetters } from "../../language/read/letter-case.ts"
import { beliefIn } from "../../memory/model/decay.ts"
import { contentKey, type Memory, tidyDetails, trustOf } from "../../memory/model/memory.ts"
import { selectMemories } from "../../memory/model/store/store.ts"
import { isUndone } from "../../memory/model/store/undone.ts"
import { act, type Changed, type Changes, changed } from "../../memory/write/change/operation.ts"
import type { Core } from "../../storage/core.ts"
import { type By, readJournal } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { Judgement } from "./judge.ts"

/** What is to become of a memory after a look at its repository. */
export type Settlement =
  | { kind: "confirm"; memory: Memory }
  | { kind: "doubt"; memory: Memory; notes: string[] }
  | { kind: "replace"; memory: Memory; notes: string[]; content: string }

/** What is believed less by this factor once it is found stale, and what a confirmation adds. */
const staleFactor = 0.5
const confirmedMore = 0.02
/** A memory is confirmed anew after this share of the time in which it would be believed half as much. */
const dueShare = 0.25

const outdatedKind = "memory.outdated"

/** What follows from a judgement; undefined if nothing is to be changed. */
export async function settlementOf(
  on: Reader,
  memory: Memory,
  judgement: Judgement,
  now: number,
): Promise<Settlement | undefined> {
  const { outdated } = memory.details
  if (judgement.outcome === "unknown") return undefined
  if (judgement.outcome === "confirmed") {
    const { days, halfLifeDays } = beliefIn(memory, now)
    return outdated || days >= halfLifeDays * dueShare ? { kind: "confirm", memory } : undefined
  }
  const { notes, corrected } = judgement
  if (isSame(outdated?.notes, notes) || (await wasTakenBack(on, memory, notes))) return undefined
  if (corrected !== undefined && mayReplace(memory))
    return { kind: "replace", memory, notes, content: corrected }
  return { kind: "doubt", memory, notes }
}

function isSame(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a !== undefined && a.join("\n") === b.join("\n")
}

/** As when something new is remembered: a user's correction stands, and what is trusted more than an observation. */
function mayReplace({ source, trust }: Memory): boolean {
  return source !== "user-corrected" && trust <= trustOf.observed
}

/** Whether somebody undid this very finding: then it is not made again. */
async function wasTakenBack(on: Reader, { id }: Memory, notes: readonly string[]): Promise<boolean> {
  const entries = await readJournal(on, {
    subject: id,
    kind: [outdatedKind, "memory.superseded"],
    newestFirst: true,
    limit: 5,
  })
  const same = entries.find(({ data }) =>
    isSame((data as { after: Memory | null }).after?.details.outdated?.notes, notes),
  )
  return same !== undefined && (await isUndone(on, same.operation))
}

/** Carries settlements out as one operation. What was changed meanwhile is left alone. */
export function settle(
  needs: Core & { random: Random },
  settlements: readonly Settlement[],
  by: By,
): Promise<Changed> {
  const kinds = ["memory.verified", outdatedKind, "memory.superseded", "memory.saved"]
  return act(needs, by, { kinds, about: [] }, async (transaction, at) => {
    const ids = settlements.map(({ memory }) => memory.id)
    const now = new Map(
      (await selectMemories(transaction, sql`m.id in ${sqlList(ids)}`)).map((memory) => [memory.id, memory]),
    )
    const changes: Required<Changes> = { memories: [], edges: [] }
    const fresh = new Map<string, Memory>()
    for (const settlement of settlements) {
      const before = now.get(settlement.memory.id)
      if (before?.status !== "active" || before.version !== settlement.memory.version) continue
      if (settlement.kind === "confirm")
        changes.memories.push({ kind: "memory.verified", before, after: confirmed(before, at) })
      else if (settlement.kind === "doubt")
        changes.memories.push({ kind: outdatedKind, before, after: doubted(before, settlement.notes, at) })
      else await replace(transaction, needs.random, { ...settlement, memory: before }, at, { changes, fresh })
    }
    return changes
  })
}

/** Bookkeeping: no new version, so that whoever changed it last can still undo that. */
function confirmed(before: Memory, at: number): Memory {
  const { outdated, ...details } = before.details
  const confidence =
    outdated && isLowered(before) ? before.confidence / staleFactor : before.confidence + confirmedMore
  return { ...before, verifiedAt: at, confidence: rounded(Math.min(1, confidence)), details }
}

/** What the user corrected is noted and asked about, and not believed less by rules. */
function isLowered({ source }: Memory): boolean {
  return source !== "user-corrected"
}

function doubted(before: Memory, notes: string[], at: number): Memory {
  const isNew = before.details.outdated === undefined && isLowered(before)
  return changed(before, at, {
    confidence: rounded(isNew ? before.confidence * staleFactor : before.confidence),
    details: tidyDetails({ ...before.details, outdated: { at, notes } }),
  })
}

function rounded(value: number): number {
  return Math.round(value * 1e9) / 1e9
}

/** Puts the memory that is true now instead of one that says nothing else; a known one if there is one. */
async function replace(
  transaction: Transaction,
  random: Random,
  { memory: before, notes, content }: Extract<Settlement, { kind: "replace" }>,
  at: number,
  { changes, fresh }: { changes: Required<Changes>; fresh: Map<string, Memory> },
): Promise<void> {
  const key = `${before.type} ${before.audience ?? ""} ${content}`
  const known = fresh.get(key) ?? (await knownAs(transaction, before, content))
  const after = known ?? replacement(before, content, notes, newTimedId(random, at, "m"), at)
  if (known === undefined) changes.memories.push({ kind: "memory.saved", before: null, after })
  fresh.set(key, after)
  const details = tidyDetails({ ...before.details, outdated: { at, notes } })
  const old = changed(before, at, { status: "superseded", supersededBy: after.id, details })
  changes.memories.push({ kind: "memory.superseded", before, after: old })
  const edge = { source: after.id, kind: "supersedes" as const, target: before.id, weight: 1, createdAt: at }
  changes.edges.push({ before: null, after: edge })
}

async function knownAs(on: Reader, before: Memory, content: string): Promise<Memory | undefined> {
  const found = await selectMemories(
    on,
    sql`m.content_key = ${contentKey(content)} and m.status = 'active' and m.project = ${before.project}`,
  )
  return found.find(
    (one) =>
      one.type === before.type &&
      one.scope === before.scope &&
      one.audience === before.audience &&
      !differInLetters(one.content, content),
  )
}

function replacement(
  before: Memory,
  content: string,
  notes: readonly string[],
  id: string,
  at: number,
): Memory {
  const { files } = before.details
  return {
    ...before,
    id,
    version: 1,
    content,
    source: "observed",
    sourceId: null,
    sessionId: null,
    messageIndex: null,
    createdAt: at,
    updatedAt: at,
    accessedAt: null,
    verifiedAt: at,
    accessCount: 0,
    strength: 1,
    confidence: 1,
    trust: trustOf.observed,
    details: tidyDetails({ files, reason: notes.join(" ") }),
  }
}
