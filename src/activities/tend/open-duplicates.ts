import { listCycles } from "../../attention/cycles.ts"
import type { Memory } from "../../memory/model/memory.ts"
import { type Edge, type EdgeKind, edgesAt, linkKinds } from "../../memory/model/store/graph.ts"
import { findMemories } from "../../memory/model/store/store.ts"
import type { Database } from "../../storage/database.ts"

/** Two memories with nearly the same content; the newer one first. */
interface Duplicate {
  at: number
  note: string
  memories: [Memory, Memory]
}

/** A pair is asked about once; at most this many past cycles are searched. */
const mostCycles = 50
const mostPairs = 100

/** A link of these kinds settles how two memories relate. */
const settling: readonly EdgeKind[] = linkKinds.filter((kind) => kind !== "inferred-tag")

/** Pairs that cycles left to the user as possible duplicates, and that are still open; the newest first. */
export async function openDuplicates({
  db,
  install,
}: {
  db: Database
  install: string
}): Promise<Duplicate[]> {
  const asked = (await listCycles(db, install, mostCycles)).flatMap(({ startedAt, receipt }) =>
    receipt.open.filter(({ kind }) => kind === "duplicate").map((one) => ({ at: startedAt, ...one })),
  )
  const pairs = new Map(asked.toReversed().map((one) => [keyOf(one.memories), one]))
  const ids = [...new Set([...pairs.values()].flatMap(({ memories }) => memories))]
  const known = await findMemories(db, ids)
  const links = (await edgesAt(db, ids, settling)).filter(isSettling)
  const linked = new Set(links.map(({ source, target }) => keyOf([source, target])))
  return [...pairs.values()]
    .filter(({ memories }) => !linked.has(keyOf(memories)))
    .flatMap(({ at, note, memories }): Duplicate[] => {
      const [a, b, more] = memories.map((id) => known.get(id))
      if (a?.status !== "active" || b?.status !== "active" || more !== undefined) return []
      return [{ at, note, memories: a.createdAt >= b.createdAt ? [a, b] : [b, a] }]
    })
    .toSorted((a, b) => b.at - a.at)
    .slice(0, mostPairs)
}

/** Similar memories are linked too, but only a user's link has full weight. */
function isSettling({ kind, weight }: Edge): boolean {
  return kind !== "relates-to" || weight === 1
}

function keyOf(ids: readonly string[]): string {
  return ids.toSorted().join(" ")
}
