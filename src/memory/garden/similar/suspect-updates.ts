import type { Embedder } from "../../../embedding/embedder.ts"
import { type Sql, sql } from "../../../storage/sql.ts"
import { lastSaid, type Memory } from "../../model/memory.ts"
import type { MemoryCore } from "../../model/memory-core.ts"
import { selectMemories } from "../../model/store/store.ts"
import { areCompatible } from "../../write/change/forget-restore.ts"
import { decide } from "../../write/compare/decide.ts"
import { judgePairs } from "../../write/compare/judge-pairs.ts"
import { findSimilarTo } from "../../write/compare/similar-memories.ts"
import type { GardenWork, Tending } from "../garden.ts"
import { keepMark, readMark } from "../marks.ts"
import { linkAll, type NewLink } from "../settle.ts"

/** So many memories one pass looks at unless told otherwise, and so many are written down together. */
const usuallyLooked = 400
const lookedAtOnce = 40

/**
 * Has the trained model look at what it has not seen yet: memories that came in large imports, before it was there, or
 * while it was switched off. What it takes for an update is left open, as when something is remembered. Each memory
 * once for each version of the model.
 */
export function suspectUpdates(needs: MemoryCore, mostLooked = usuallyLooked): GardenWork {
  return {
    name: "updates",
    async run(tending) {
      const { embedder } = needs
      const version = embedder?.judge?.card.version
      if (embedder === undefined || version === undefined) return
      const name = `updates/${embedder.model}/${version}`
      for (let looked = 0; looked < mostLooked && tending.mayGoOn(); looked += lookedAtOnce)
        if (!(await lookOn({ ...needs, embedder }, name, tending, mostLooked))) return
      tending.leaveRest()
    },
  }
}

/** Looks at the next memories from the mark on; false if there are none. */
async function lookOn(
  needs: MemoryCore & { embedder: Embedder },
  name: string,
  tending: Tending,
  most: number,
): Promise<boolean> {
  const { db, embedder, clock } = needs
  const mark = await readMark(db, name)
  const from = { model: embedder.model, where: isStanding, after: mark.after }
  const page = await db.search.vectorsOf({ ...from, limit: Math.min(most, lookedAtOnce) })
  const last = page.at(-1)
  if (last === undefined) return false
  const links = await suspectsIn(needs, page, tending)
  const linked = links.length === 0 ? undefined : await linkAll(needs, links, tending.by())
  const others = linked?.edges.length ?? 0
  if (linked && others > 0) await tending.done("possible updates linked", { ...linked, others }, links.length)
  await keepMark(db, name, { ...mark, after: last.seq }, clock.now())
  return true
}

const isStanding: Sql = sql`m.status = 'active'`

async function suspectsIn(
  needs: MemoryCore & { embedder: Embedder },
  page: readonly { id: string; vector: Float32Array }[],
  tending: Tending,
): Promise<NewLink[]> {
  const { db, embedder } = needs
  const { duplicate, related } = embedder.similarity
  const model = { name: embedder.model, related, asked: embedder.judge?.card.thresholds.compared }
  const compared = []
  for (const { id, vector } of page) {
    const [memory] = await selectMemories(db, sql`m.id = ${id} and ${isStanding}`)
    if (memory === undefined || tending.excluded.has(memory.project ?? "")) continue
    const similar = await findSimilarTo({ db, model }, { memory, vector })
    compared.push({ memory, similar: similar.filter((one) => mayUpdate(memory, one.memory)) })
  }
  const judged = await judgePairs(needs, compared)
  if (judged === undefined) return []
  const thresholds = { duplicate, linked: 1, judged: judged.thresholds }
  return compared.flatMap(({ memory, similar }) => {
    const said = similar.map((one) => ({ ...one, judged: judged.of(memory, one.memory) }))
    const decision = decide(memory, said, thresholds)
    if (decision.kind !== "save") return []
    return decision.suspects.map(({ memory: other, isNewer, weight }): NewLink => {
      const [from, to] = isNewer ? [other, memory] : [memory, other]
      return { kind: "may-replace", from, to, weight, judge: judged.version }
    })
  })
}

/** Of two, the later in the store looks at the earlier; what was said at one moment takes nothing of itself back. */
function mayUpdate(memory: Memory, other: Memory): boolean {
  if (other.status !== "active" || other.id >= memory.id) return false
  return lastSaid(memory) !== lastSaid(other) && !areCompatible(memory, other)
}
