import type { Core } from "../../storage/core.ts"
import type { Changed } from "../write/change/operation.ts"
import type { Tending } from "./garden.ts"
import { linkAll, mergeDuplicates, type NewLink, supersedeOpposed } from "./settle.ts"
import type { Chunk } from "./similar/chunks.ts"
import type { Verdict } from "./verdicts.ts"

/** Does what the rules say, as far as a pass has room. */
export interface Settler {
  /** False if something had no room: it is to be tried again in the next pass. */
  settle(chunk: Chunk): Promise<boolean>
}

/** How many pairs one operation settles: small enough to be undone and followed. */
const settledAtOnce = 100
/** New links in one pass between what belongs together: each helps little, and there are many. */
const mostLinksInPass = 1000

/** Begins to settle what a pass finds. */
export function createSettler(needs: Core, tending: Tending): Settler {
  let linksLeft = mostLinksInPass

  async function inPieces<T>(
    all: readonly T[],
    { name, changes }: { name: string; changes: number },
    work: (some: T[]) => Promise<Changed>,
  ): Promise<boolean> {
    for (let from = 0; from < all.length; ) {
      const room = tending.room()
      const fit = Math.min(settledAtOnce, Math.floor(room.changes / changes), room.losses)
      if (fit === 0 || tending.signal.aborted) return false
      const some = all.slice(from, from + fit)
      await tell(name, await work(some), some.length)
      from += fit
    }
    return true
  }
  async function tell(name: string, changed: Changed, looked: number): Promise<void> {
    const { memories, edges } = changed
    const others = memories.length === 0 ? edges.length : 0
    if (memories.length + others > 0) await tending.done(name, { ...changed, others }, looked)
  }
  /** Links what belongs together in what room is left; what does not fit is left out. */
  async function relate(links: readonly NewLink[]): Promise<void> {
    const some = links.slice(0, Math.min(linksLeft, Math.floor(tending.room().changes / 4)))
    if (some.length === 0 || tending.signal.aborted) return
    linksLeft -= some.length
    await tell("related linked", await linkAll(needs, some, tending.by()), some.length)
  }
  async function settleGroup({ kind, verdicts }: Group): Promise<boolean> {
    const by = () => tending.by()
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
    return inPieces(links, { name: "conflicts linked", changes: 1 }, (some) => linkAll(needs, some, by()))
  }

  return {
    async settle({ verdicts, linked }) {
      for (const group of inGroups(verdicts)) if (!(await settleGroup(group))) return false
      await relate(linked)
      return true
    },
  }
}

/** Verdicts of one kind that can be settled in one go. */
interface Group {
  kind: Verdict["kind"]
  verdicts: Verdict[]
  /** The memories they are about. */
  ids: Set<string>
}

/** Brings verdicts of one kind together, but none past another that is about the same memory: their order matters. */
function inGroups(verdicts: readonly Verdict[]): Group[] {
  const groups: Group[] = []
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
