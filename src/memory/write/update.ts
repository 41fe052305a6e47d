import { UserError } from "../../base/errors.ts"
import type { By } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { type Memory, tidyDetails } from "../model/memory.ts"
import { findEdge } from "../model/store/graph.ts"
import { partKind, partsWith } from "../model/store/parts-of-text.ts"
import { findMemory } from "../model/store/store.ts"
import { mayReplaceIn } from "./change/compare-edited.ts"
import { replacedBy } from "./change/conflicts.ts"
import { type Edit, editChanges, prepareEdit } from "./change/edit.ts"
import { superseded } from "./change/link.ts"
import { applyChanges, type Changes, changed } from "./change/operation.ts"
import { lastGiven } from "./given-before.ts"
import { newMemory, type Written } from "./plan.ts"
import type { ReadyMemory, Refused, RememberNeeds } from "./prepare.ts"

/**
 * Gives a memory the text that its giver has for it now, with history and journal. The same text as last time changes
 * nothing, also where somebody else has edited the memory meanwhile. Undefined if the memory is not the giver's to change:
 * the text was merged into another one, or another one has replaced it; then it is saved like any other.
 */
export async function updateGiven(
  needs: RememberNeeds,
  known: Memory,
  parts: readonly ReadyMemory[],
  by: By,
): Promise<Written | Refused | undefined> {
  const [first] = parts
  if (first === undefined || known.sourceId !== (first.given.sourceId ?? null)) return undefined
  const before = await partsWith(needs.db, known)
  const said = await Promise.all(before.map((one) => lastGiven(needs.db, one, by)))
  if (said.length === parts.length && parts.every(({ content }, index) => content === said[index])) {
    return { outcome: "unchanged", id: known.id, ...partsTold(before) }
  }
  if (known.status === "forgotten") {
    const advice = `restore it with \`reverie memory restore ${known.id}\`, or give the text another sourceId`
    return { outcome: "refused", reason: `${known.id}, which it would change, was forgotten; ${advice}` }
  }
  if (known.status !== "active" && known.status !== "quarantined") return undefined
  return before.length === 1 && parts.length === 1
    ? updateText(needs, known, first, by)
    : updateParts(needs, before, parts, by)
}

async function updateText(
  needs: RememberNeeds,
  known: Memory,
  ready: ReadyMemory,
  by: By,
): Promise<Written | Refused> {
  const prepared = await prepareEdit(needs, known, editOf(ready), by)
  if ("outcome" in prepared) return prepared
  let mayReplace: string[] = []
  try {
    await needs.db.write(async (transaction) => {
      const at = needs.clock.now()
      const changes = await editChanges(transaction, prepared, at, by)
      mayReplace = mayReplaceIn(changes.edges ?? [])
      await applyChanges(transaction, changes, at, by)
    })
  } catch (error) {
    // Another memory says this already: two would say one thing.
    if (error instanceof UserError && error.kind === "conflict") {
      return { outcome: "refused", reason: error.message.replace(/\.$/, "") }
    }
    throw error
  }
  const judge = prepared.compared.judged?.version
  const told = mayReplace.length === 0 || judge === undefined ? {} : { mayReplace, judge }
  return { outcome: "updated", id: known.id, ...told }
}

/** What the new text says beside itself; what it leaves out stays as it is. */
function editOf({ content, tags, given }: ReadyMemory): Edit {
  const { files, context, reason, steps, prerequisites, warnings, season, recencyWeight } = given
  return {
    content,
    source: given.source,
    ...(given.type === "fact" ? {} : { type: given.type }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(given.triggers.length === 0 ? {} : { triggers: given.triggers }),
    from: given.from,
    files,
    context,
    reason,
    steps,
    prerequisites,
    warnings,
    season,
    recencyWeight,
  }
}

/** Part for part: what differs is edited, what is new is saved, and what is no longer there gives way to the first. */
async function updateParts(
  needs: RememberNeeds,
  old: readonly Memory[],
  parts: readonly ReadyMemory[],
  by: By,
): Promise<Written> {
  return needs.db.write(async (transaction) => {
    const at = needs.clock.now()
    const changes: Required<Changes> = { memories: [], edges: [] }
    const now: Memory[] = []
    for (const [index, ready] of parts.entries()) {
      const known = old[index] && (await findMemory(transaction, old[index].id))
      const part = parts.length === 1 ? undefined : { number: index + 1, of: parts.length }
      now.push(
        known
          ? editPart(changes, known, ready, part, at)
          : addPart(changes, now[0], newMemory(needs, ready, now[0]?.project ?? null, at), part),
      )
    }
    const [first] = now
    if (first === undefined) throw new Error("a text was split into nothing")
    for (const gone of old.slice(parts.length)) await replacePart(transaction, changes, first, gone, at)
    await applyChanges(transaction, changes, at, by)
    return { outcome: "updated", id: first.id, ...partsTold(now) }
  })
}

type Part = Memory["details"]["part"]

function editPart(
  changes: Required<Changes>,
  before: Memory,
  { content }: ReadyMemory,
  part: Part,
  at: number,
): Memory {
  if (before.content === content && before.details.part?.of === part?.of) return before
  const after = changed(before, at, { content, details: tidyDetails({ ...before.details, part }) })
  changes.memories.push({ kind: "memory.edited", before, after })
  return after
}

function addPart(changes: Required<Changes>, first: Memory | undefined, fresh: Memory, part: Part): Memory {
  const after: Memory = { ...fresh, details: tidyDetails({ ...fresh.details, part }) }
  changes.memories.push({ kind: "memory.saved", before: null, after })
  if (first) {
    const edge = { source: after.id, kind: partKind, target: first.id, weight: 1, createdAt: after.updatedAt }
    changes.edges.push({ before: null, after: edge })
  }
  return after
}

async function replacePart(
  transaction: Transaction,
  changes: Required<Changes>,
  first: Memory,
  gone: Memory,
  at: number,
): Promise<void> {
  const link = await findEdge(transaction, { source: gone.id, kind: partKind, target: first.id })
  changes.memories.push(...(superseded(first, gone, at).memories ?? []))
  changes.edges.push(...(link ? [{ before: link, after: null }] : []))
  changes.edges.push(...(await replacedBy(transaction, first, gone, at)))
}

/** The ids of a long text's parts. */
export function partsTold(memories: readonly { id: string }[]): { parts?: string[] } {
  return memories.length > 1 ? { parts: memories.map(({ id }) => id) } : {}
}
