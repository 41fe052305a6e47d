import { newTimedId, type Random } from "../../base/random.ts"
import { differInCase } from "../../language/read/letter-case.ts"
import { beliefIn } from "../../memory/model/decay.ts"
import { contentKey, type Memory, normalizeDetails, trustOf } from "../../memory/model/memory.ts"
import { selectMemories } from "../../memory/model/store/store.ts"
import { isUndone } from "../../memory/model/store/undone.ts"
import {
  type ChangeResult,
  type Changes,
  changed,
  runOperation,
} from "../../memory/write/change/operation.ts"
import type { Core } from "../../storage/core.ts"
import { type By, readJournal } from "../../storage/journal.ts"
import { sql, sqlList } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"
import type { TextVerdict } from "./check-text.ts"

/** The change of a memory that follows from checking it. */
export type FactChange =
  | { kind: "confirm"; memory: Memory }
  | { kind: "doubt"; memory: Memory; notes: string[] }
  | { kind: "replace"; memory: Memory; notes: string[]; content: string }

/** The factor on the confidence of a stale memory, and what a confirmation adds. */
const staleFactor = 0.5
const confirmedMore = 0.02
/** A memory is confirmed again after this share of its half-life. */
const dueShare = 0.25

const outdatedKind = "memory.outdated"

/** The change that follows from a verdict; undefined if there is none. */
export async function factChangeFor(
  on: Reader,
  memory: Memory,
  verdict: TextVerdict,
  now: number,
): Promise<FactChange | undefined> {
  const { outdated } = memory.details
  if (verdict.outcome === "unknown") return undefined
  if (verdict.outcome === "confirmed") {
    const { days, halfLifeDays } = beliefIn(memory, now)
    return outdated || days >= halfLifeDays * dueShare ? { kind: "confirm", memory } : undefined
  }
  const { notes, corrected } = verdict
  if (isSame(outdated?.notes, notes) || (await wasTakenBack(on, memory, notes))) return undefined
  if (corrected !== undefined && mayReplace(memory))
    return { kind: "replace", memory, notes, content: corrected }
  return { kind: "doubt", memory, notes }
}

function isSame(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a !== undefined && a.join("\n") === b.join("\n")
}

/** The same rule as for new memories: a user's correction stays, and so does what is trusted more than an observation. */
function mayReplace({ source, trust }: Memory): boolean {
  return source !== "user-corrected" && trust <= trustOf.observed
}

/** Whether somebody undid this very change: then it is not made again. */
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

/** Applies changes as one operation. Memories that changed in the meantime are skipped. */
export function applyFactChanges(
  needs: Core,
  factChanges: readonly FactChange[],
  by: By,
): Promise<ChangeResult> {
  const kinds = ["memory.verified", outdatedKind, "memory.superseded", "memory.saved"]
  return runOperation(needs, by, { kinds, about: [] }, async (transaction, at) => {
    const ids = factChanges.map(({ memory }) => memory.id)
    const now = new Map(
      (await selectMemories(transaction, sql`m.id in ${sqlList(ids)}`)).map((memory) => [memory.id, memory]),
    )
    const changes: Required<Changes> = { memories: [], edges: [] }
    const added = new Map<string, Memory>()
    for (const change of factChanges) {
      const before = now.get(change.memory.id)
      if (before?.status !== "active" || before.version !== change.memory.version) continue
      if (change.kind === "confirm")
        changes.memories.push({ kind: "memory.verified", before, after: confirmed(before, at) })
      else if (change.kind === "doubt")
        changes.memories.push({ kind: outdatedKind, before, after: doubted(before, change.notes, at) })
      else await replace(transaction, needs.random, { ...change, memory: before }, at, { changes, added })
    }
    return changes
  })
}

/** Keeps the version, so that the last change before it can still be undone. */
function confirmed(before: Memory, at: number): Memory {
  const { outdated, ...details } = before.details
  const confidence =
    outdated && isLowered(before) ? before.confidence / staleFactor : before.confidence + confirmedMore
  return { ...before, verifiedAt: at, confidence: rounded(Math.min(1, confidence)), details }
}

/** Whether rules lower the confidence: never for what the user corrected. */
function isLowered({ source }: Memory): boolean {
  return source !== "user-corrected"
}

function doubted(before: Memory, notes: string[], at: number): Memory {
  const isNew = before.details.outdated === undefined && isLowered(before)
  return changed(before, at, {
    confidence: rounded(isNew ? before.confidence * staleFactor : before.confidence),
    details: normalizeDetails({ ...before.details, outdated: { at, notes } }),
  })
}

function rounded(value: number): number {
  return Math.round(value * 1e9) / 1e9
}

/** Replaces an outdated memory with a corrected one, or with an existing memory of the same text. */
async function replace(
  transaction: Transaction,
  random: Random,
  { memory: before, notes, content }: Extract<FactChange, { kind: "replace" }>,
  at: number,
  { changes, added }: { changes: Required<Changes>; added: Map<string, Memory> },
): Promise<void> {
  const key = `${before.type} ${before.audience ?? ""} ${content}`
  const known = added.get(key) ?? (await knownAs(transaction, before, content))
  const after = known ?? replacement(before, content, notes, newTimedId(random, at, "m"), at)
  if (known === undefined) changes.memories.push({ kind: "memory.saved", before: null, after })
  added.set(key, after)
  const details = normalizeDetails({ ...before.details, outdated: { at, notes } })
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
      !differInCase(one.content, content),
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
    details: normalizeDetails({ files, reason: notes.join(" ") }),
  }
}
