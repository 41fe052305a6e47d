import { UserError } from "../../base/errors.ts"
import type { By } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { type Memory, normalizeDetails } from "../model/memory.ts"
import { findEdge } from "../model/store/graph.ts"
import { partKind, partsOfText } from "../model/store/parts-of-text.ts"
import { findMemory } from "../model/store/store.ts"
import { mayReplaceIn } from "./change/compare-edited.ts"
import { replacedBy } from "./change/conflicts.ts"
import { detailNames, type Edit, editChanges, prepareEdit } from "./change/edit.ts"
import { superseded } from "./change/link.ts"
import { addedEdge, applyChanges, type Changes, changed, removed } from "./change/operation.ts"
import { newMemory, type Written } from "./plan.ts"
import type { MemoryWriteCore, ReadyMemory, Refused } from "./prepare.ts"
import { lastTextFrom } from "./source-id.ts"

/**
 * Updates a memory to the text that its source sends now. The same text as last time changes nothing, even if somebody else
 * edited the memory since. Undefined if the text was merged into another memory or was replaced: then it is saved anew.
 */
export async function updateBySourceId(
  needs: MemoryWriteCore,
  known: Memory,
  parts: readonly ReadyMemory[],
  by: By,
): Promise<Written | Refused | undefined> {
  const [first] = parts
  if (first === undefined || known.sourceId !== (first.input.sourceId ?? null)) return undefined
  const before = await partsOfText(needs.db, known)
  const last = await Promise.all(before.map((one) => lastTextFrom(needs.db, one, by)))
  if (last.length === parts.length && parts.every(({ content }, index) => content === last[index])) {
    return { outcome: "unchanged", id: known.id, ...partIds(before) }
  }
  if (known.status === "forgotten") {
    const advice = `restore it with \`reverie memory restore ${known.id}\`, or use another sourceId`
    return { outcome: "refused", reason: `it would change ${known.id}, which was forgotten; ${advice}` }
  }
  if (known.status !== "active" && known.status !== "quarantined") return undefined
  return before.length === 1 && parts.length === 1
    ? updateText(needs, known, first, by)
    : updateParts(needs, before, parts, by)
}

async function updateText(
  needs: MemoryWriteCore,
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
    // Another memory has this text already.
    if (error instanceof UserError && error.kind === "conflict") {
      return { outcome: "refused", reason: error.message.replace(/\.$/, "") }
    }
    throw error
  }
  const judge = prepared.compared.judged?.version
  const judged = mayReplace.length === 0 || judge === undefined ? {} : { mayReplace, judge }
  return { outcome: "updated", id: known.id, ...judged }
}

/** The edit for a new text; fields that the input leaves out stay as they are. */
function editOf({ content, tags, input }: ReadyMemory): Edit {
  return {
    content,
    source: input.source,
    ...(input.type === "fact" ? {} : { type: input.type }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(input.triggers.length === 0 ? {} : { triggers: input.triggers }),
    from: input.from,
    ...Object.fromEntries(detailNames.map((name) => [name, input[name]])),
  }
}

/** Edits the parts that differ, saves the new ones, and lets the first part replace those that are gone. */
async function updateParts(
  needs: MemoryWriteCore,
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
    return { outcome: "updated", id: first.id, ...partIds(now) }
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
  const after = changed(before, at, { content, details: normalizeDetails({ ...before.details, part }) })
  changes.memories.push({ kind: "memory.edited", before, after })
  return after
}

function addPart(changes: Required<Changes>, first: Memory | undefined, fresh: Memory, part: Part): Memory {
  const after: Memory = { ...fresh, details: normalizeDetails({ ...fresh.details, part }) }
  changes.memories.push({ kind: "memory.saved", before: null, after })
  if (first) changes.edges.push(addedEdge(after.id, partKind, first.id, after.updatedAt))
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
  changes.memories.push(superseded(first.id, gone, at))
  changes.edges.push(...removed(link ? [link] : []), ...(await replacedBy(transaction, first, gone, at)))
}

/** The ids of the parts of a long text. */
export function partIds(memories: readonly { id: string }[]): { parts?: string[] } {
  return memories.length > 1 ? { parts: memories.map(({ id }) => id) } : {}
}
