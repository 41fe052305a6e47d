import type { Embedder } from "../../../embedding/embedder.ts"
import { type Sql, sql } from "../../../storage/sql.ts"
import { lastStatedAt, type Memory } from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { selectMemories } from "../../model/store/store.ts"
import { areCompatible } from "../../write/change/forget-restore.ts"
import { decide } from "../../write/compare/decide.ts"
import { judgePairs } from "../../write/compare/judge-pairs.ts"
import { comparisonModel, findSimilarTo } from "../../write/compare/similar-memories.ts"
import type { GardenPass, GardenWork } from "../garden.ts"
import { readMark, saveMark } from "../marks.ts"
import { linkMemories, type NewLink } from "../merge-and-link.ts"

/** Memories checked in one pass, and between two marks. */
const mostChecked = 400
const checkedAtOnce = 40

/**
 * Asks the trained model about memories it has not compared yet: those of large imports, or from before it was installed
 * or while it was off. What it takes for an update becomes a may-replace link, as in `remember`. Each memory once per
 * version of the model.
 */
export function suspectUpdates(needs: MemoryCore, most = mostChecked): GardenWork {
  return {
    name: "updates",
    async run(pass) {
      const { embedder } = needs
      const version = embedder?.judge?.card.version
      if (embedder === undefined || version === undefined) return
      const name = `updates/${embedder.model}/${version}`
      for (let checked = 0; checked < most && pass.canContinue(); checked += checkedAtOnce)
        if (!(await checkNext({ ...needs, embedder }, name, pass, most))) return
      pass.markUnfinished()
    },
  }
}

/** Checks the next memories from the mark on; false if there are none. */
async function checkNext(
  needs: MemoryCore & { embedder: Embedder },
  name: string,
  pass: GardenPass,
  most: number,
): Promise<boolean> {
  const { db, embedder, clock } = needs
  const mark = await readMark(db, name)
  const from = { model: embedder.model, where: isActive, after: mark.after }
  const page = await db.search.vectorsOf({ ...from, limit: Math.min(most, checkedAtOnce) })
  const last = page.at(-1)
  if (last === undefined) return false
  const links = await suspectsIn(needs, page, pass)
  const linked = links.length === 0 ? undefined : await linkMemories(needs, links, pass.by())
  const others = linked?.edges.length ?? 0
  if (linked && others > 0) await pass.report("possible updates linked", { ...linked, others }, links.length)
  await saveMark(db, name, { ...mark, after: last.seq }, clock.now())
  return true
}

const isActive: Sql = sql`m.status = 'active'`

async function suspectsIn(
  needs: MemoryCore & { embedder: Embedder },
  page: readonly { id: string; vector: Float32Array }[],
  pass: GardenPass,
): Promise<NewLink[]> {
  const { db, embedder } = needs
  const { duplicate } = embedder.similarity
  const model = comparisonModel(embedder)
  const compared = []
  for (const { id, vector } of page) {
    const [memory] = await selectMemories(db, sql`m.id = ${id} and ${isActive}`)
    if (memory === undefined || pass.excluded.has(memory.project ?? "")) continue
    const similar = await findSimilarTo({ db, model }, { memory, vector })
    compared.push({ memory, similar: similar.filter((one) => mayUpdate(memory, one.memory)) })
  }
  const judged = await judgePairs(needs, compared)
  if (judged === undefined) return []
  const thresholds = { duplicate, linked: 1, judged: judged.thresholds }
  return compared.flatMap(({ memory, similar }) => {
    const candidates = similar.map((one) => ({ ...one, judged: judged.of(memory, one.memory) }))
    const decision = decide(memory, candidates, thresholds)
    if (decision.kind !== "save") return []
    return decision.possibleUpdates.map(({ memory: other, isNewer, weight }): NewLink => {
      const [from, to] = isNewer ? [other, memory] : [memory, other]
      return { kind: "may-replace", from, to, weight, judge: judged.version }
    })
  })
}

/** A pair is checked once, by the later one; what was said at one moment does not update itself. */
function mayUpdate(memory: Memory, other: Memory): boolean {
  if (other.status !== "active" || other.id >= memory.id) return false
  return lastStatedAt(memory) !== lastStatedAt(other) && !areCompatible(memory, other)
}
