import type { Database } from "../../../storage/database.ts"
import { lastEntry } from "../../../storage/journal.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import type { GardenWork, Tending } from "../garden.ts"
import { type GardenScope, gardenScopes, isToldSince, toldBetween } from "../garden-scope.ts"
import { keepMark, type Mark, readMark } from "../marks.ts"
import { createSettler, type Settler } from "../settler.ts"
import { createJudge } from "../verdicts.ts"
import { openWaiting, type Waiting } from "../waiting.ts"
import { chunksOf } from "./chunks.ts"

/**
 * Compares the memories of each scope with each other: merges what says the same, lets the newer replace what it
 * opposes where `remember` would, links conflicts and what belongs together, and leaves the rest to be asked. The first
 * round looks at everything, later ones only at what was told since.
 */
export function compareSimilar(needs: MemoryCore): GardenWork {
  const name = `kin/${needs.embedder?.model ?? "words"}`
  return {
    name: "kin",
    async run(tending) {
      const { db, clock } = needs
      const waiting = await openWaiting(needs, `${name}/waiting`)
      const settler = createSettler(needs, tending)
      const mark = await beginRound(db, await readMark(db, name))
      const end = mark.isDone ? mark : await goRound(needs, { name, mark, waiting, settler }, tending)
      if (!end.isDone) tending.leaveRest()
      await keepMark(db, name, end, clock.now())
      await waiting.ask(tending)
    },
  }
}

/** Where to go on: in a round that was not finished, in a new one if something was told since, or not at all. */
async function beginRound(db: Database, mark: Mark): Promise<Mark> {
  if (!mark.isDone) return mark.entry > 0 ? mark : { ...mark, entry: await lastEntry(db) }
  if (!(await isToldSince(db, mark.entry))) return mark
  return { after: 0, place: "", since: mark.entry, entry: await lastEntry(db), isDone: false }
}

interface Round {
  name: string
  mark: Mark
  waiting: Waiting
  settler: Settler
}

/** Goes on with a round from its mark; returns how far it came. */
async function goRound(needs: MemoryCore, round: Round, tending: Tending): Promise<Mark> {
  let { mark } = round
  const scopes = (await gardenScopes(needs.db)).filter(
    ({ key, project }) => key >= mark.place && !tending.excluded.has(project ?? ""),
  )
  for (const scope of scopes) {
    if (scope.key !== mark.place) mark = { ...mark, place: scope.key, after: 0 }
    const { after, isWhole } = await goThrough(needs, { ...round, mark }, scope, tending)
    mark = { ...mark, after }
    if (!isWhole) return mark
  }
  return { ...mark, place: "", after: 0, isDone: true }
}

/** Goes through a scope from the mark on; tells the number of the last memory that is settled, and whether all are. */
async function goThrough(
  needs: MemoryCore,
  { name, mark, waiting, settler }: Round,
  scope: GardenScope,
  tending: Tending,
): Promise<{ after: number; isWhole: boolean }> {
  let { after } = mark
  if (!mayGoOn(tending)) return { after, isWhole: false }
  const told = mark.since === 0 ? undefined : await toldBetween(needs.db, scope, mark)
  if (told?.length === 0) return { after, isWhole: true }
  const judge = createJudge(needs.embedder?.similarity)
  for await (const chunk of chunksOf(needs, { scope, told, after, judge }, tending.signal)) {
    await waiting.add(chunk.verdicts)
    const isSettled = await settler.settle(chunk)
    if (!isSettled) return { after, isWhole: false }
    after = chunk.last
    if (chunk.verdicts.length > 0) await keepMark(needs.db, name, { ...mark, after }, needs.clock.now())
    if (!mayGoOn(tending)) return { after, isWhole: false }
  }
  return { after, isWhole: !tending.signal.aborted }
}

function mayGoOn(tending: Tending): boolean {
  return tending.mayGoOn() && tending.room().losses > 0 && tending.room().changes > 1
}
