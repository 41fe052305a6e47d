import type { Core } from "../../storage/core.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { mayBeArchived } from "../model/decay.ts"
import { archiveFaded, findFaded } from "../write/change/fading.ts"
import { inProjects, restoredBefore } from "./excluded.ts"
import type { GardenPass, GardenWork } from "./garden.ts"

/** How many memories are active. */
export async function countActive(on: Reader): Promise<number> {
  const [row] = await on.read<{ active: number }>(
    sql`select count(*) as active from memories where status = 'active'`,
  )
  return row?.active ?? 0
}

const mostAtOnce = 200

/** Beyond the capacity, archives the memories with the least confidence; confident ones stay, however many. */
export function archiveBeyond(needs: Core, capacity: number): GardenWork {
  return {
    name: "capacity",
    async run(pass) {
      const excess = capacity === 0 ? 0 : (await countActive(needs.db)) - capacity
      if (excess > 0) await archiveFaintest(needs, excess, pass)
    },
  }
}

async function archiveFaintest(needs: Core, excess: number, pass: GardenPass): Promise<void> {
  const faint = (await notExcluded(needs, await findFaded(needs.db, needs.clock.now()), pass)).slice(
    0,
    excess,
  )
  if (faint.length < excess)
    pass.warn(`${excess - faint.length} memories beyond memory.capacity are still confident, and stay.`)
  for (let from = 0; from < faint.length; from += mostAtOnce) {
    const { changes, losses } = pass.remaining()
    const ids = faint.slice(from, from + Math.min(changes, losses, mostAtOnce)).map(({ id }) => id)
    if (ids.length === 0 || !pass.canContinue()) return pass.markUnfinished()
    await pass.report(
      "archived beyond the capacity",
      await archiveFaded(needs, ids, mayBeArchived, pass.by()),
      ids.length,
    )
  }
}

/** Without memories that were restored once and those of excluded projects. */
async function notExcluded({ db }: Core, faded: readonly { id: string }[], { excluded }: GardenPass) {
  const ids = faded.map(({ id }) => id)
  const staying = new Set([...(await restoredBefore(db, ids)), ...(await inProjects(db, ids, excluded))])
  return faded.filter(({ id }) => !staying.has(id))
}
