import { UserError } from "../../../base/errors.ts"
import type { Core } from "../../../storage/core.ts"
import type { By } from "../../../storage/journal.ts"
import { sql } from "../../../storage/sql.ts"
import type { Transaction } from "../../../storage/transaction.ts"
import type { userEdgeKinds } from "../../model/kinds.ts"
import type { Memory } from "../../model/memory.ts"
import { requireMemory } from "../../model/store/browse.ts"
import { findEdge, selectEdges } from "../../model/store/graph.ts"
import { findMemory } from "../../model/store/store.ts"
import { findEitherWay } from "./forget-restore.ts"
import {
  addedEdge,
  type ChangeResult,
  changed,
  type MemoryImages,
  removed,
  runOperation,
} from "./operation.ts"

type PersonalKind = (typeof userEdgeKinds)[number]

interface Link {
  source: string
  kind: PersonalKind
  target: string
  /** 0 to 1; 1 by default. */
  weight?: number | undefined
}

const linkEntries = ["memory.superseded", "memory.restored"]

/** Links two memories. Read from source to target: with `supersedes` the target is replaced by the source. */
export function linkMemories(needs: Core, link: Link, by: By): Promise<ChangeResult> {
  const same = { kinds: linkEntries, about: [link.source, link.target] }
  return runOperation(needs, by, same, async (transaction, at) => {
    const { source, target } = await endsOf(transaction, link)
    const known = await knownEdge(transaction, source, link.kind, target)
    const weight = link.weight ?? known?.weight ?? 1
    if (known?.weight === weight) return {}
    if (known === undefined) await refuseCircle(transaction, source, link.kind, target)
    const edges = known
      ? [{ before: known, after: { ...known, weight } }]
      : [addedEdge(source.id, link.kind, target.id, at, weight)]
    if (link.kind !== "supersedes") return { edges }
    return { edges, memories: [superseded(source.id, target, at)] }
  })
}

/** Removes a link; a memory that it replaced becomes active again. */
export function unlinkMemories(needs: Core, link: Link, by: By): Promise<ChangeResult> {
  const same = { kinds: linkEntries, about: [link.source, link.target] }
  return runOperation(needs, by, same, async (transaction, at) => {
    const { source, target } = await endsOf(transaction, link)
    const before = await knownEdge(transaction, source, link.kind, target)
    const byName = link.kind === "supersedes" && target.supersededBy === source.id
    if (before === undefined && !byName) {
      const text = `There is no link ${source.id} ${link.kind} ${target.id}`
      throw new UserError("not-found", `${text}; \`reverie memory show ${source.id}\` lists its links.`)
    }
    const edges = removed(before ? [before] : [])
    if (!byName) return { edges }
    const supersededBy = await otherReplacement(transaction, source, target)
    const isFree = target.status === "superseded" && supersededBy === null
    const status = isFree ? ("active" as const) : target.status
    const after = changed(target, at, { status, supersededBy })
    return { edges, memories: [{ kind: "memory.restored", before: target, after }] }
  })
}

/** The newest other memory that also replaces the target. */
async function otherReplacement(
  transaction: Transaction,
  source: Memory,
  target: Memory,
): Promise<string | null> {
  const [edge] = await selectEdges(
    transaction,
    sql`kind = 'supersedes' and target = ${target.id} and source <> ${source.id}`,
    sql`order by created_at desc, source limit 1`,
  )
  return edge?.source ?? null
}

async function endsOf(transaction: Transaction, link: Link): Promise<{ source: Memory; target: Memory }> {
  const source = await requireMemory(transaction, link.source)
  const target = await requireMemory(transaction, link.target)
  if (source.id !== target.id) return { source, target }
  throw new UserError("usage", "A memory cannot be linked to itself; give two different ones.")
}

/** The existing edge; where both directions mean the same, either one. */
function knownEdge(transaction: Transaction, source: Memory, kind: PersonalKind, target: Memory) {
  const isMutual = kind === "relates-to" || kind === "contradicts"
  return isMutual
    ? findEitherWay(transaction, source.id, kind, target.id)
    : findEdge(transaction, { source: source.id, kind, target: target.id })
}

/** Refuses circles: a memory cannot replace what replaced it, or derive from what was derived from it. */
async function refuseCircle(
  transaction: Transaction,
  source: Memory,
  kind: PersonalKind,
  target: Memory,
): Promise<void> {
  if (kind === "derived-from") {
    if (await findEdge(transaction, { source: target.id, kind, target: source.id })) {
      throw circle(source, target, "already comes from")
    }
  }
  if (kind !== "supersedes") return
  const seen = new Set<string>()
  let next = source.supersededBy
  while (next !== null && !seen.has(next)) {
    if (next === target.id) throw circle(target, source, "already replaces")
    seen.add(next)
    next = (await findMemory(transaction, next))?.supersededBy ?? null
  }
  if (source.status === "active") return
  const advice = `restore it first with \`reverie memory restore ${source.id}\`.`
  throw new UserError("conflict", `${source.id} is ${source.status} and cannot replace another; ${advice}`)
}

function circle(one: Memory, other: Memory, how: string): UserError {
  const advice = `remove that link first with \`reverie memory link … --remove\`.`
  return new UserError("conflict", `${one.id} ${how} ${other.id}; ${advice}`)
}

/** The change that makes a memory replaced by another. */
export function superseded(winnerId: string, loser: Memory, at: number): MemoryImages {
  const after = changed(loser, at, { status: "superseded", supersededBy: winnerId })
  return { kind: "memory.superseded", before: loser, after }
}
