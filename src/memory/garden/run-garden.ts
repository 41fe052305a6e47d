import { messageOf } from "../../base/errors.ts"
import type { Database } from "../../storage/database.ts"
import type { GardenPass, GardenReport, GardenWork } from "./garden.ts"
import { keyOf, readAsked } from "./marks.ts"
import { createTending } from "./tending.ts"

/** Questions shown to a model in one cycle. */
const mostOpen = 20

/**
 * Tends the whole memory by rules: every project and the global scope, one kind of work after the other. Capped,
 * reversible, and it goes on where it stopped. A kind that fails is told of and does not keep the others.
 */
export async function runGarden(
  { db }: { db: Database },
  works: readonly GardenWork[],
  pass: GardenPass,
): Promise<GardenReport> {
  const tending = createTending(pass)
  for (const [done, work] of works.entries()) {
    if (pass.signal.aborted) break
    await pass.onWork?.({ done, of: works.length, work: work.name })
    try {
      await work.run(tending)
    } catch (error) {
      if (pass.signal.aborted) break
      tending.leaveRest()
      tending.warn(`${work.name}: ${messageOf(error)}`)
    }
  }
  const asked = await readAsked(db)
  const open = tending.open.filter((question) => !asked.has(keyOf(question))).slice(0, mostOpen)
  const { deeds, gaps, warnings } = tending
  return { deeds, open, gaps, isDone: tending.isDone(), warnings }
}
