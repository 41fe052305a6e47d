import type { Core } from "../../storage/core.ts"
import type { ChangeResult } from "../write/change/operation.ts"
import type { GardenPass } from "./garden.ts"
import { linkMemories, mergeDuplicates, type NewLink, supersedeOpposed } from "./merge-and-link.ts"
import type { Chunk } from "./similar/chunks.ts"
import type { Verdict } from "./verdicts.ts"

/** Writes the verdicts of a chunk. False if the pass ran out of changes: the next pass tries again. */
export type VerdictWriter = (chunk: Chunk) => Promise<boolean>

/** Pairs in one operation: few enough to follow and undo. */
const pairsAtOnce = 100
/** At most this many new relates-to links in a pass: each helps little, and there are many. */
const mostLinksInPass = 1000

/** Makes the writer of one pass. */
export function createVerdictWriter(needs: Core, pass: GardenPass): VerdictWriter {
  let linksLeft = mostLinksInPass

  async function inPieces<T>(
    all: readonly T[],
    { name, changes }: { name: string; changes: number },
    work: (some: T[]) => Promise<ChangeResult>,
  ): Promise<boolean> {
    for (let from = 0; from < all.length; ) {
      const left = pass.remaining()
      const fit = Math.min(pairsAtOnce, Math.floor(left.changes / changes), left.losses)
      if (fit === 0 || pass.signal.aborted) return false
      const some = all.slice(from, from + fit)
      await report(name, await work(some), some.length)
      from += fit
    }
    return true
  }
  async function report(name: string, changed: ChangeResult, checked: number): Promise<void> {
    const { memories, edges } = changed
    const others = memories.length === 0 ? edges.length : 0
    if (memories.length + others > 0) await pass.report(name, { ...changed, others }, checked)
  }
  /** Links related memories with a part of the remaining changes; drops the rest. */
  async function relate(links: readonly NewLink[]): Promise<void> {
    const some = links.slice(0, Math.min(linksLeft, Math.floor(pass.remaining().changes / 4)))
    if (some.length === 0 || pass.signal.aborted) return
    linksLeft -= some.length
    await report("related linked", await linkMemories(needs, some, pass.by()), some.length)
  }
  async function writeGroup({ kind, verdicts }: VerdictGroup): Promise<boolean> {
    const by = () => pass.by()
    if (kind === "merge") {
      const pairs = verdicts.filter((verdict) => verdict.kind === "merge")
      const how = { name: "duplicates merged", changes: 2 }
      return inPieces(pairs, how, (some) => mergeDuplicates(needs, some, by()))
    }
    if (kind === "supersede") {
      const pairs = verdicts.filter((verdict) => verdict.kind === "supersede")
      const how = { name: "contradicted replaced", changes: 1 }
      return inPieces(pairs, how, (some) => supersedeOpposed(needs, some, by()))
    }
    const links = verdicts
      .filter((verdict) => verdict.kind === "conflict")
      .map(({ newer, older }): NewLink => ({ kind: "contradicts", from: newer, to: older, weight: 1 }))
    return inPieces(links, { name: "conflicts linked", changes: 1 }, (some) =>
      linkMemories(needs, some, by()),
    )
  }

  return async ({ verdicts, linked }) => {
    for (const group of inGroups(verdicts)) if (!(await writeGroup(group))) return false
    await relate(linked)
    return true
  }
}

/** Verdicts of one kind that can be written together. */
interface VerdictGroup {
  kind: Verdict["kind"]
  verdicts: Verdict[]
  /** The memories they are about. */
  ids: Set<string>
}

/** Groups verdicts by kind, but keeps the order of those about the same memory. */
function inGroups(verdicts: readonly Verdict[]): VerdictGroup[] {
  const groups: VerdictGroup[] = []
  for (const verdict of verdicts) {
    if (verdict.kind === "ask") continue
    const ids = idsOf(verdict)
    const last = groups.findLastIndex(
      (group) => group.kind === verdict.kind || ids.some((id) => group.ids.has(id)),
    )
    const found = groups[last]
    const group =
      found?.kind === verdict.kind ? found : { kind: verdict.kind, verdicts: [], ids: new Set<string>() }
    if (group !== found) groups.push(group)
    group.verdicts.push(verdict)
    for (const id of ids) group.ids.add(id)
  }
  return groups
}

function idsOf(verdict: Exclude<Verdict, { kind: "ask" }>): string[] {
  if (verdict.kind === "merge") return [verdict.keep.id, verdict.drop.id]
  if (verdict.kind === "supersede") return [verdict.winner.id, verdict.loser.id]
  return [verdict.newer.id, verdict.older.id]
}
