import { messageOf } from "../../base/errors.ts"
import type { Database } from "../../storage/database.ts"
import type { GardenOptions, GardenReport, GardenWork } from "./garden.ts"
import { keyOf, readAsked } from "./marks.ts"
import { createPass } from "./pass.ts"

/** Questions shown to a model in one cycle. */
const mostOpen = 20

/**
 * Runs one kind of work after the other over the whole memory: every project and the global scope. Each pass is capped,
 * and the next one continues where it stopped. A kind of work that fails adds a warning; the others still run.
 */
export async function runGarden(
  { db }: { db: Database },
  works: readonly GardenWork[],
  options: GardenOptions,
): Promise<GardenReport> {
  const pass = createPass(options)
  for (const [done, work] of works.entries()) {
    if (options.signal.aborted) break
    await options.onWork?.({ done, of: works.length, work: work.name })
    try {
      await work.run(pass)
    } catch (error) {
      if (options.signal.aborted) break
      pass.markUnfinished()
      pass.warn(`${work.name}: ${messageOf(error)}`)
    }
  }
  const asked = await readAsked(db)
  const open = pass.open.filter((question) => !asked.has(keyOf(question))).slice(0, mostOpen)
  const { deeds, gaps, warnings } = pass
  return { deeds, open, gaps, isDone: pass.isDone(), warnings }
}
