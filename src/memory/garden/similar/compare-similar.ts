import type { Database } from "../../../storage/database.ts"
import { lastEntry } from "../../../storage/journal.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import type { GardenPass, GardenWork } from "../garden.ts"
import { changedBetween, type GardenScope, gardenScopes, isChangedSince } from "../garden-scope.ts"
import { type Mark, readMark, saveMark } from "../marks.ts"
import { createJudge } from "../verdicts.ts"
import { openWaiting, type Waiting } from "../waiting.ts"
import { createVerdictWriter, type VerdictWriter } from "../write-verdicts.ts"
import { chunksOf } from "./chunks.ts"

/**
 * Compares the memories of each scope with each other: merges duplicates, lets the newer of two contradicting ones
 * supersede the older where `remember` would, links conflicts and related memories, and asks about the rest. The first
 * round compares everything, later ones only what was added or changed since.
 */
export function compareSimilar(needs: MemoryCore): GardenWork {
  const name = `kin/${needs.embedder?.model ?? "words"}`
  return {
    name: "similar memories",
    async run(pass) {
      const { db, clock } = needs
      const waiting = await openWaiting(needs, `${name}/waiting`)
      const writeVerdicts = createVerdictWriter(needs, pass)
      const mark = await beginRound(db, await readMark(db, name))
      const end = mark.isDone
        ? mark
        : await continueRound(needs, { name, mark, waiting, writeVerdicts }, pass)
      if (!end.isDone) pass.markUnfinished()
      await saveMark(db, name, end, clock.now())
      await waiting.ask(pass)
    },
  }
}

/** Continues an unfinished round, or begins a new one if something changed since. */
async function beginRound(db: Database, mark: Mark): Promise<Mark> {
  if (!mark.isDone) return mark.entry > 0 ? mark : { ...mark, entry: await lastEntry(db) }
  if (!(await isChangedSince(db, mark.entry))) return mark
  return { after: 0, place: "", since: mark.entry, entry: await lastEntry(db), isDone: false }
}

interface Round {
  name: string
  mark: Mark
  waiting: Waiting
  writeVerdicts: VerdictWriter
}

/** Continues a round from its mark; returns how far it came. */
async function continueRound(needs: MemoryCore, round: Round, pass: GardenPass): Promise<Mark> {
  let { mark } = round
  const scopes = (await gardenScopes(needs.db)).filter(
    ({ key, project }) => key >= mark.place && !pass.excluded.has(project ?? ""),
  )
  for (const scope of scopes) {
    if (scope.key !== mark.place) mark = { ...mark, place: scope.key, after: 0 }
    const { after, isWhole } = await compareScope(needs, { ...round, mark }, scope, pass)
    mark = { ...mark, after }
    if (!isWhole) return mark
  }
  return { ...mark, place: "", after: 0, isDone: true }
}

/** Compares a scope from the mark on; returns the `seq` of the last memory that is done, and whether all are. */
async function compareScope(
  needs: MemoryCore,
  { name, mark, waiting, writeVerdicts }: Round,
  scope: GardenScope,
  pass: GardenPass,
): Promise<{ after: number; isWhole: boolean }> {
  let { after } = mark
  if (!canContinue(pass)) return { after, isWhole: false }
  const changed = mark.since === 0 ? undefined : await changedBetween(needs.db, scope, mark)
  if (changed?.length === 0) return { after, isWhole: true }
  const judge = createJudge(needs.embedder?.similarity)
  for await (const chunk of chunksOf(needs, { scope, changed, after, judge }, pass.signal)) {
    await waiting.add(chunk.verdicts)
    if (!(await writeVerdicts(chunk))) return { after, isWhole: false }
    after = chunk.last
    if (chunk.verdicts.length > 0) await saveMark(needs.db, name, { ...mark, after }, needs.clock.now())
    if (!canContinue(pass)) return { after, isWhole: false }
  }
  return { after, isWhole: !pass.signal.aborted }
}

function canContinue(pass: GardenPass): boolean {
  return pass.canContinue() && pass.remaining().losses > 0 && pass.remaining().changes > 1
}
